CREATE TABLE "carillon"."restores" (
	"generation" integer PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"reason" text NOT NULL,
	"held_at" timestamp (3) with time zone NOT NULL,
	"lost_from" timestamp (3) with time zone NOT NULL,
	"lost_until" timestamp (3) with time zone NOT NULL,
	"mode" text NOT NULL,
	"is_adopted" boolean NOT NULL,
	"decided_at" timestamp (3) with time zone NOT NULL,
	"decided_by" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "carillon"."installation" ADD COLUMN "held_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "carillon"."installation" ADD COLUMN "held_code" text;--> statement-breakpoint
ALTER TABLE "carillon"."installation" ADD COLUMN "held_detail" jsonb;--> statement-breakpoint
ALTER TABLE "carillon"."installation" ADD COLUMN "home" jsonb;--> statement-breakpoint
ALTER TABLE "carillon"."installation" ADD COLUMN "lost_time" jsonb;--> statement-breakpoint
ALTER TABLE "carillon"."workers" ADD COLUMN "beats" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "carillon"."installation" ADD CONSTRAINT "installation_hold" CHECK ((held_at is null) = (held_code is null));