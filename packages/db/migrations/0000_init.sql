CREATE TYPE "public"."attempt_outcome" AS ENUM('succeeded', 'failed', 'unknown', 'cancelled', 'handed_back');--> statement-breakpoint
CREATE TYPE "public"."run_origin" AS ENUM('rule', 'trigger', 'backfill');--> statement-breakpoint
CREATE TYPE "public"."run_status" AS ENUM('queued', 'running', 'retrying', 'succeeded', 'failed', 'skipped', 'cancelled');--> statement-breakpoint
CREATE TYPE "public"."schedule_status" AS ENUM('active', 'paused', 'finished', 'cancelled');--> statement-breakpoint
CREATE TABLE "metrics" (
	"name" text NOT NULL,
	"labels" text DEFAULT '' NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "metrics_name_labels_pk" PRIMARY KEY("name","labels")
);
--> statement-breakpoint
CREATE TABLE "sweeps" (
	"singleton" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"schedule_id" bigint NOT NULL,
	"occurrence_at" timestamp (3) with time zone NOT NULL,
	"origin" "run_origin" NOT NULL,
	"number" smallint NOT NULL,
	"epoch" bigint,
	"worker_id" bigint,
	"claimed_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"outcome" "attempt_outcome",
	"http_status" smallint,
	"duration_ms" integer,
	"error_code" text,
	"error" text,
	"response" text,
	"external_id" text,
	CONSTRAINT "attempts_schedule_id_occurrence_at_origin_number_pk" PRIMARY KEY("schedule_id","occurrence_at","origin","number")
) PARTITION BY RANGE ("occurrence_at");
--> statement-breakpoint
CREATE TABLE "leases" (
	"epoch" bigserial PRIMARY KEY NOT NULL,
	"worker_id" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"schedule_id" bigint NOT NULL,
	"occurrence_at" timestamp (3) with time zone NOT NULL,
	"origin" "run_origin" NOT NULL,
	"project_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"status" "run_status" NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"enqueued_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"attempt" smallint DEFAULT 0 NOT NULL,
	"free_attempts" smallint DEFAULT 0 NOT NULL,
	"replays" smallint DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"open" boolean,
	"failed_at" timestamp (3) with time zone,
	"progress" json,
	"reason_code" text,
	"reason" text,
	"epoch" bigint,
	"worker_id" bigint,
	"claimed_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"outcome" "attempt_outcome",
	"http_status" smallint,
	"duration_ms" integer,
	"error_code" text,
	"error" text,
	"response" text,
	"external_id" text,
	CONSTRAINT "runs_schedule_id_occurrence_at_origin_pk" PRIMARY KEY("schedule_id","occurrence_at","origin")
) PARTITION BY RANGE ("occurrence_at");
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"heartbeat_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"stopped_at" timestamp (3) with time zone,
	"in_flight" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gaps" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"schedule_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"from_at" timestamp (3) with time zone NOT NULL,
	"to_at" timestamp (3) with time zone NOT NULL,
	"count" integer NOT NULL,
	"reason_code" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schedule_versions" (
	"schedule_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"name" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"target_type" text NOT NULL,
	"rule" json NOT NULL,
	"timing" text NOT NULL,
	"plan" text NOT NULL,
	"payload" json,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL,
	"request_hash" text,
	"superseded_at" timestamp (3) with time zone,
	CONSTRAINT "schedule_versions_schedule_id_version_pk" PRIMARY KEY("schedule_id","version")
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"status" "schedule_status" DEFAULT 'active' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"definition_version" integer DEFAULT 1 NOT NULL,
	"occurrence_at" timestamp (3) with time zone,
	"next_run_at" timestamp (3) with time zone,
	"counted" boolean DEFAULT false NOT NULL,
	"runs_total" integer DEFAULT 0 NOT NULL,
	"last_run_at" timestamp (3) with time zone,
	"last_enqueued_at" timestamp (3) with time zone,
	"paused_at" timestamp (3) with time zone,
	"paused_until" timestamp (3) with time zone,
	"paused_by" text,
	"pause_note" text,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text,
	"detail" json
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"default_target" json,
	"limits" json DEFAULT '{}'::json NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "projects_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE INDEX "leases_expiry" ON "leases" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "runs_project" ON "runs" USING btree ("project_id","occurrence_at");--> statement-breakpoint
CREATE INDEX "runs_epoch" ON "runs" USING btree ("epoch");--> statement-breakpoint
CREATE INDEX "runs_next_attempt" ON "runs" USING btree ("next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "runs_open" ON "runs" USING btree ("schedule_id","occurrence_at") WHERE open;--> statement-breakpoint
CREATE INDEX "runs_failed" ON "runs" USING btree ("project_id","failed_at") WHERE failed_at is not null;--> statement-breakpoint
CREATE INDEX "gaps_schedule" ON "gaps" USING btree ("schedule_id","from_at");--> statement-breakpoint
CREATE INDEX "schedule_versions_tags" ON "schedule_versions" USING gin ("tags") WHERE superseded_at is null;--> statement-breakpoint
CREATE INDEX "schedule_versions_target" ON "schedule_versions" USING btree ("project_id","target_type","schedule_id") WHERE superseded_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "schedules_key" ON "schedules" USING btree ("project_id","key");--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("next_run_at","id") WHERE status = 'active';--> statement-breakpoint
CREATE INDEX "schedules_due_by_project" ON "schedules" USING btree ("project_id","next_run_at","id") WHERE status = 'active';--> statement-breakpoint
CREATE INDEX "schedules_paused_until" ON "schedules" USING btree ("paused_until") WHERE paused_until is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_project" ON "api_keys" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "audit_log_project" ON "audit_log" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "audit_log" USING btree ("project_id","subject","id");--> statement-breakpoint
-- All attempts of a run, wherever they lie: the latest on the run, those before in "attempts".
CREATE VIEW "run_attempts" AS
  SELECT "schedule_id", "occurrence_at", "origin", "number", "epoch", "worker_id", "claimed_at", "finished_at",
    "outcome", "http_status", "duration_ms", "error_code", "error", "response", "external_id"
  FROM "attempts"
  UNION ALL
  SELECT "schedule_id", "occurrence_at", "origin", "attempt", "epoch", "worker_id", "claimed_at", "finished_at",
    "outcome", "http_status", "duration_ms", "error_code", "error", "response", "external_id"
  FROM "runs" WHERE "attempt" > 0;
--> statement-breakpoint
-- Whatever lies outside the months that exist: a backfill of long ago, a one-shot for the year 2001.
CREATE TABLE "runs_default" PARTITION OF "runs" DEFAULT WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "attempts_default" PARTITION OF "attempts" DEFAULT;
--> statement-breakpoint
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE ON "audit_log"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
--> statement-breakpoint
INSERT INTO "projects" ("key", "name") VALUES ('default', 'Default');
