CREATE TABLE "calendars" (
	"project_id" bigint NOT NULL,
	"name" text NOT NULL,
	"dates" text[] NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "calendars_project_id_name_pk" PRIMARY KEY("project_id","name")
);
--> statement-breakpoint
CREATE INDEX "schedule_versions_calendars" ON "schedule_versions" USING btree ("project_id") WHERE superseded_at is null and timing like '%"calendars":%';