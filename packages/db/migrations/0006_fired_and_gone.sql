ALTER TABLE "schedule_versions" ALTER COLUMN "created_at" SET DEFAULT statement_timestamp();--> statement-breakpoint
ALTER TABLE "schedules" ALTER COLUMN "created_at" SET DEFAULT statement_timestamp();--> statement-breakpoint
ALTER TABLE "schedules" ALTER COLUMN "updated_at" SET DEFAULT statement_timestamp();--> statement-breakpoint
CREATE UNIQUE INDEX "schedule_versions_key" ON "schedule_versions" USING btree ("project_id","key") WHERE superseded_at is null;--> statement-breakpoint
-- Lists of numbers that live for a moment: not worth compressing.
ALTER TABLE "leases" ALTER COLUMN "schedule_ids" SET STORAGE EXTERNAL, ALTER COLUMN "occurrence_ats" SET STORAGE EXTERNAL,
  ALTER COLUMN "due_ats" SET STORAGE EXTERNAL, ALTER COLUMN "versions" SET STORAGE EXTERNAL;--> statement-breakpoint
-- As before, but for where the project is looked up: the schedule may have no row any more.
CREATE OR REPLACE VIEW "unwritten_runs" AS
  SELECT l."schedule_id", l."occurrence_at", l."origin", v."project_id", l."version", 'running'::"run_status" AS "status", l."due_at",
    l."claimed_at" AS "enqueued_at", 1::smallint AS "attempt", 0::smallint AS "free_attempts", 0::smallint AS "replays",
    NULL::timestamptz AS "next_attempt_at", NULL::boolean AS "open", NULL::timestamptz AS "failed_at", NULL::json AS "progress",
    NULL::text AS "reason_code", NULL::text AS "reason", l."epoch", l."worker_id", l."claimed_at", NULL::timestamptz AS "finished_at",
    NULL::"attempt_outcome" AS "outcome", NULL::smallint AS "http_status", NULL::integer AS "duration_ms",
    NULL::text AS "error_code", NULL::text AS "error", NULL::text AS "response", NULL::text AS "external_id"
  FROM "leased_runs" l JOIN "schedule_versions" v ON v."schedule_id" = l."schedule_id" AND v."version" = l."version"
  WHERE NOT EXISTS (
    SELECT FROM "runs" r
    WHERE r."schedule_id" = l."schedule_id" AND r."occurrence_at" = l."occurrence_at" AND r."origin" = l."origin"
    OFFSET 0 -- Looked up for each of the few that are named: joined, it could be a walk through the whole history.
  );--> statement-breakpoint
-- Every schedule with the definition that holds. Of one that has fired once and has no row any more, its definition and its run tell.
CREATE VIEW "every_schedule" AS
  SELECT v."schedule_id" AS "id", v."project_id", v."key", coalesce(s."status", 'finished') AS "status", coalesce(s."version", 1) AS "version",
    v."version" AS "definition_version", s."occurrence_at", s."next_run_at", coalesce(s."counted", false) AS "counted",
    coalesce(s."runs_total", 1) AS "runs_total",
    CASE WHEN s."id" IS NOT NULL THEN s."last_run_at" ELSE coalesce(
      (SELECT r."occurrence_at" FROM "runs" r
       WHERE r."schedule_id" = v."schedule_id" AND r."origin" = 'rule' ORDER BY r."occurrence_at" DESC LIMIT 1),
      (SELECT l."occurrence_at" FROM "leased_runs" l WHERE l."schedule_id" = v."schedule_id" LIMIT 1)
    ) END AS "last_run_at",
    CASE WHEN s."id" IS NOT NULL THEN s."last_enqueued_at" ELSE coalesce(
      (SELECT r."enqueued_at" FROM "runs" r
       WHERE r."schedule_id" = v."schedule_id" AND r."origin" = 'rule' ORDER BY r."occurrence_at" DESC LIMIT 1),
      (SELECT l."claimed_at" FROM "leased_runs" l WHERE l."schedule_id" = v."schedule_id" LIMIT 1)
    ) END AS "last_enqueued_at",
    s."paused_at", s."paused_until", s."paused_by", s."pause_note",
    coalesce(s."created_at", v."created_at") AS "created_at", coalesce(s."updated_at", v."created_at") AS "updated_at",
    v."name", v."tags", v."target_type", v."rule", v."timing", v."plan", v."payload", s."id" IS NULL AS "is_gone"
  FROM "schedule_versions" v LEFT JOIN "schedules" s ON s."id" = v."schedule_id"
  WHERE v."superseded_at" IS NULL;
