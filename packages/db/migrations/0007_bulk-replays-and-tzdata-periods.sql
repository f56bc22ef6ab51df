CREATE TABLE "carillon"."tzdata_periods" (
	"since" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"versions" text[] NOT NULL
);
--> statement-breakpoint
ALTER TABLE "carillon"."runs" ADD COLUMN "bulk_replays" bigint[];