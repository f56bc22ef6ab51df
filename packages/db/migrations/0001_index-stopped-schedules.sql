CREATE TABLE "carillon"."stopped_schedules" (
	"schedule_id" bigint PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"status" "carillon"."schedule_status" NOT NULL,
	"paused_until" timestamp (3) with time zone,
	"paused_by_engine_at" timestamp (3) with time zone,
	CONSTRAINT "stopped_schedules_not_active" CHECK (status <> 'active')
);
--> statement-breakpoint
CREATE INDEX "stopped_schedules_status" ON "carillon"."stopped_schedules" USING btree ("project_id","status","schedule_id");--> statement-breakpoint
CREATE INDEX "stopped_schedules_until" ON "carillon"."stopped_schedules" USING btree ("paused_until") WHERE paused_until is not null;--> statement-breakpoint
CREATE INDEX "stopped_schedules_by_engine" ON "carillon"."stopped_schedules" USING btree ("project_id","paused_by_engine_at") WHERE paused_by_engine_at is not null;--> statement-breakpoint
-- Keeps "stopped_schedules" in step with the status and the pause, whichever statement changes schedules. A new schedule is
-- active, and a purge deletes both rows. The trigger runs once for a statement, because a call for each row would cost as
-- much as the change itself. A plan that was made while "stopped_schedules" was nearly empty would read the whole table
-- later, so the function allows index lookups only.
CREATE FUNCTION "carillon"."list_stopped"() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM "carillon"."stopped_schedules" s USING changed WHERE s."schedule_id" = changed."id" AND changed."status" = 'active';
  INSERT INTO "carillon"."stopped_schedules" AS s ("schedule_id", "project_id", "status", "paused_until", "paused_by_engine_at")
  SELECT "id", "project_id", "status", "paused_until", CASE WHEN "paused_by" = 'carillon' THEN "paused_at" END
  FROM changed WHERE "status" <> 'active'
  ON CONFLICT ("schedule_id") DO UPDATE SET "status" = excluded."status", "paused_until" = excluded."paused_until",
    "paused_by_engine_at" = excluded."paused_by_engine_at"
  WHERE (s."status", s."paused_until", s."paused_by_engine_at")
    IS DISTINCT FROM (excluded."status", excluded."paused_until", excluded."paused_by_engine_at");
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "schedules_list_stopped" AFTER UPDATE ON "carillon"."schedules" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "carillon"."list_stopped"();
--> statement-breakpoint
-- The trigger's lock keeps other changes out until the commit. The index that is dropped next finds the rows.
INSERT INTO "carillon"."stopped_schedules" ("schedule_id", "project_id", "status", "paused_until", "paused_by_engine_at")
SELECT "id", "project_id", "status", "paused_until", CASE WHEN "paused_by" = 'carillon' THEN "paused_at" END
FROM "carillon"."schedules" WHERE "status" <> 'active';
--> statement-breakpoint
DROP INDEX "carillon"."schedules_stopped";
--> statement-breakpoint
DROP INDEX "carillon"."schedules_paused_by_engine";
--> statement-breakpoint
DROP INDEX "carillon"."schedules_paused_until";
