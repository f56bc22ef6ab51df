CREATE TABLE "receipts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"schedule_id" bigint NOT NULL,
	"url" text NOT NULL,
	"body" text NOT NULL,
	"tries" smallint DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_secrets" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"schedule_id" bigint,
	"sealed" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "receipts_next_try" ON "receipts" USING btree ("next_try_at");--> statement-breakpoint
CREATE INDEX "webhook_secrets_schedule" ON "webhook_secrets" USING btree ("schedule_id") WHERE schedule_id is not null;--> statement-breakpoint
CREATE INDEX "webhook_secrets_project" ON "webhook_secrets" USING btree ("project_id") WHERE schedule_id is null;--> statement-breakpoint
-- An attempt that was put off before it began is taken back: its run carries no attempt that is open or has ended.
CREATE OR REPLACE VIEW "run_attempts" AS
  SELECT "schedule_id", "occurrence_at", "origin", "number", "epoch", "worker_id", "claimed_at", "finished_at",
    "outcome", "http_status", "duration_ms", "error_code", "error", "response", "external_id"
  FROM "attempts"
  UNION ALL
  SELECT "schedule_id", "occurrence_at", "origin", "attempt", "epoch", "worker_id", "claimed_at", "finished_at",
    "outcome", "http_status", "duration_ms", "error_code", "error", "response", "external_id"
  FROM "runs" WHERE "attempt" > 0 AND ("outcome" IS NOT NULL OR "status" = 'running');
