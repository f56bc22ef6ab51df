ALTER TABLE "carillon"."pings" DROP CONSTRAINT "pings_kind";--> statement-breakpoint
ALTER TABLE "carillon"."pings" ADD CONSTRAINT "pings_kind" CHECK (kind in ('start', 'success', 'fail', 'log'));