DROP INDEX "runs_epoch";--> statement-breakpoint
ALTER TABLE "leases" ALTER COLUMN "expires_at" SET DEFAULT 'infinity';--> statement-breakpoint
ALTER TABLE "leases" ADD COLUMN "claimed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leases" ADD COLUMN "held_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leases" ADD COLUMN "schedule_ids" bigint[];--> statement-breakpoint
ALTER TABLE "leases" ADD COLUMN "occurrence_ats" timestamp (3) with time zone[];--> statement-breakpoint
ALTER TABLE "leases" ADD COLUMN "origins" "run_origin"[];--> statement-breakpoint
ALTER TABLE "leases" ADD COLUMN "due_ats" timestamp (3) with time zone[];--> statement-breakpoint
ALTER TABLE "leases" ADD COLUMN "versions" integer[];--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "accounted_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "runs_epoch" ON "runs" USING brin ("epoch") WITH (pages_per_range=16,autosummarize=true);--> statement-breakpoint
-- Most rows are written once now: nothing needs half of each page for the version to come.
ALTER TABLE "runs_default" SET (fillfactor = 90);--> statement-breakpoint
-- What was skipped or brought forward before its time, and may be named again.
UPDATE "schedules" s SET "accounted_until" = ahead.until
  FROM (SELECT "schedule_id", max("occurrence_at") AS until FROM "runs"
        WHERE "origin" = 'rule' AND "occurrence_at" > clock_timestamp() GROUP BY "schedule_id") AS ahead
  WHERE s."id" = ahead."schedule_id";--> statement-breakpoint
-- The runs that leases name, one a row, also those that have ended while others of their batch go on.
CREATE VIEW "leased_runs" AS
  SELECT l."epoch", l."worker_id", l."claimed_at", named."schedule_id", named."occurrence_at",
    coalesce(named."origin", 'rule') AS "origin", named."due_at", named."version"
  FROM "leases" l,
    unnest(l."schedule_ids", l."occurrence_ats", l."origins", l."due_ats", l."versions")
      AS named("schedule_id", "occurrence_at", "origin", "due_at", "version");--> statement-breakpoint
-- Runs that only their lease knows of yet, as the rows of "runs" that they will be.
CREATE VIEW "unwritten_runs" AS
  SELECT l."schedule_id", l."occurrence_at", l."origin", s."project_id", l."version", 'running'::"run_status" AS "status", l."due_at",
    l."claimed_at" AS "enqueued_at", 1::smallint AS "attempt", 0::smallint AS "free_attempts", 0::smallint AS "replays",
    NULL::timestamptz AS "next_attempt_at", NULL::boolean AS "open", NULL::timestamptz AS "failed_at", NULL::json AS "progress",
    NULL::text AS "reason_code", NULL::text AS "reason", l."epoch", l."worker_id", l."claimed_at", NULL::timestamptz AS "finished_at",
    NULL::"attempt_outcome" AS "outcome", NULL::smallint AS "http_status", NULL::integer AS "duration_ms",
    NULL::text AS "error_code", NULL::text AS "error", NULL::text AS "response", NULL::text AS "external_id"
  FROM "leased_runs" l JOIN "schedules" s ON s."id" = l."schedule_id"
  WHERE NOT EXISTS (
    SELECT FROM "runs" r
    WHERE r."schedule_id" = l."schedule_id" AND r."occurrence_at" = l."occurrence_at" AND r."origin" = l."origin"
    OFFSET 0 -- Looked up for each of the few that are named: joined, it could be a walk through the whole history.
  );--> statement-breakpoint
-- Every run, be it written down or not.
CREATE VIEW "every_run" AS SELECT * FROM "runs" UNION ALL SELECT * FROM "unwritten_runs";--> statement-breakpoint
-- What workers have in hand: found from the leases, which are few, and not by a walk through the history.
CREATE VIEW "runs_in_flight" AS
  SELECT * FROM "unwritten_runs"
  UNION ALL
  SELECT written.* FROM "leased_runs" l, LATERAL (
    SELECT * FROM "runs" r
    WHERE r."schedule_id" = l."schedule_id" AND r."occurrence_at" = l."occurrence_at" AND r."origin" = l."origin" LIMIT 1
  ) AS written
  WHERE written."epoch" = l."epoch" AND written."status" = 'running';--> statement-breakpoint
DROP VIEW "run_attempts";--> statement-breakpoint
CREATE VIEW "run_attempts" AS
  SELECT "schedule_id", "occurrence_at", "origin", "number", "epoch", "worker_id", "claimed_at", "finished_at",
    "outcome", "http_status", "duration_ms", "error_code", "error", "response", "external_id"
  FROM "attempts"
  UNION ALL
  SELECT "schedule_id", "occurrence_at", "origin", "attempt", "epoch", "worker_id", "claimed_at", "finished_at",
    "outcome", "http_status", "duration_ms", "error_code", "error", "response", "external_id"
  FROM "every_run" WHERE "attempt" > 0 AND ("outcome" IS NOT NULL OR "status" = 'running');
