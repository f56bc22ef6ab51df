-- The migrator has created the schema already, to keep its own table there.
CREATE SCHEMA IF NOT EXISTS "carillon";
--> statement-breakpoint
CREATE TYPE "carillon"."attempt_outcome" AS ENUM('succeeded', 'failed', 'unknown', 'cancelled', 'handed_back');--> statement-breakpoint
CREATE TYPE "carillon"."run_origin" AS ENUM('rule', 'trigger', 'backfill');--> statement-breakpoint
CREATE TYPE "carillon"."run_status" AS ENUM('queued', 'running', 'retrying', 'succeeded', 'failed', 'skipped', 'cancelled');--> statement-breakpoint
CREATE TYPE "carillon"."schedule_status" AS ENUM('active', 'paused', 'cancelled');--> statement-breakpoint
CREATE TABLE "carillon"."attempts" (
	"schedule_id" bigint NOT NULL,
	"occurrence_at" timestamp (3) with time zone NOT NULL,
	"origin" "carillon"."run_origin" NOT NULL,
	"month" date NOT NULL,
	"number" integer NOT NULL,
	"epoch" bigint,
	"worker_id" bigint,
	"claimed_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"outcome" "carillon"."attempt_outcome",
	"http_status" smallint,
	"duration_ms" integer,
	"error_code" text,
	"error" text,
	"response" text,
	"external_id" text,
	CONSTRAINT "attempts_schedule_id_occurrence_at_origin_number_month_pk" PRIMARY KEY("schedule_id","occurrence_at","origin","number","month")
) PARTITION BY LIST ("month");
--> statement-breakpoint
CREATE TABLE "carillon"."deferrals" (
	"schedule_id" bigint NOT NULL,
	"occurrence_at" timestamp (3) with time zone NOT NULL,
	"origin" "carillon"."run_origin" NOT NULL,
	"attempt" integer NOT NULL,
	"reason_code" text NOT NULL,
	"project_id" bigint NOT NULL,
	"reason" text NOT NULL,
	"from_at" timestamp (3) with time zone NOT NULL,
	"until_at" timestamp (3) with time zone NOT NULL,
	"count" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "deferrals_pk" PRIMARY KEY("schedule_id","occurrence_at","origin","attempt","reason_code")
);
--> statement-breakpoint
CREATE TABLE "carillon"."runs" (
	"schedule_id" bigint NOT NULL,
	"occurrence_at" timestamp (3) with time zone NOT NULL,
	"origin" "carillon"."run_origin" NOT NULL,
	"month" date NOT NULL,
	"project_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"handler" text,
	"status" "carillon"."run_status" NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"happened_at" timestamp (3) with time zone NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"free_attempts" integer DEFAULT 0 NOT NULL,
	"replays" integer DEFAULT 0 NOT NULL,
	"lateness_ms" bigint,
	"next_attempt_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"progress" json,
	"reason_code" text,
	"reason" text,
	"epoch" bigint,
	"worker_id" bigint,
	"claimed_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"outcome" "carillon"."attempt_outcome",
	"http_status" smallint,
	"duration_ms" integer,
	"error_code" text,
	"error" text,
	"response" text,
	"external_id" text,
	CONSTRAINT "runs_schedule_id_occurrence_at_origin_month_pk" PRIMARY KEY("schedule_id","occurrence_at","origin","month"),
	CONSTRAINT "runs_state" CHECK (case status
        when 'running' then epoch is not null and attempt > 0 and finished_at is null and outcome is null
          and next_attempt_at is null and failed_at is null
        when 'succeeded' then finished_at is not null and next_attempt_at is null and failed_at is null
        when 'queued' then next_attempt_at is not null and failed_at is null
        when 'retrying' then next_attempt_at is not null and failed_at is null
        when 'failed' then finished_at is not null and next_attempt_at is null and failed_at is not null
        when 'cancelled' then finished_at is not null and next_attempt_at is null and failed_at is null
        when 'skipped' then finished_at is not null and next_attempt_at is null and failed_at is null
          and attempt = 0 and reason_code is not null
      end)
) PARTITION BY LIST ("month");
--> statement-breakpoint
CREATE TABLE "carillon"."agenda" (
	"schedule_id" bigint PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"occurrence_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"handler" text,
	"is_held" boolean DEFAULT false NOT NULL,
	"runs_total" integer DEFAULT 0 NOT NULL,
	"last_run_at" timestamp (3) with time zone,
	"last_claimed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "carillon"."gaps" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"schedule_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"from_at" timestamp (3) with time zone NOT NULL,
	"to_at" timestamp (3) with time zone NOT NULL,
	"count" integer NOT NULL,
	"reason_code" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "gaps_order" CHECK (from_at <= to_at and count > 0)
);
--> statement-breakpoint
CREATE TABLE "carillon"."schedule_versions" (
	"schedule_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"project_id" bigint NOT NULL,
	"name" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"target_type" text NOT NULL,
	"rule" json NOT NULL,
	"timing" text NOT NULL,
	"plan" text NOT NULL,
	"payload" json,
	"defined_at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL,
	"defined_by" text NOT NULL,
	"superseded_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "schedule_versions_schedule_id_version_pk" PRIMARY KEY("schedule_id","version")
);
--> statement-breakpoint
CREATE TABLE "carillon"."schedules" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"status" "carillon"."schedule_status" DEFAULT 'active' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"definition_version" integer DEFAULT 1 NOT NULL,
	"name" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"target_type" text NOT NULL,
	"rule" json NOT NULL,
	"timing" text NOT NULL,
	"plan" text NOT NULL,
	"payload" json,
	"defined_at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL,
	"defined_by" text NOT NULL,
	"is_counted" boolean DEFAULT false NOT NULL,
	"request_hash" text,
	"declared_hash" text,
	"created_trace" text,
	"runs_total" integer,
	"last_run_at" timestamp (3) with time zone,
	"last_claimed_at" timestamp (3) with time zone,
	"paused_at" timestamp (3) with time zone,
	"paused_until" timestamp (3) with time zone,
	"paused_by" text,
	"pause_note" text,
	"created_at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL,
	CONSTRAINT "schedules_pause" CHECK ((status = 'paused') = (paused_at is not null)),
	CONSTRAINT "schedules_pause_detail" CHECK (status = 'paused' or (paused_until is null and paused_by is null and pause_note is null)),
	CONSTRAINT "schedules_versions" CHECK (definition_version between 1 and version)
);
--> statement-breakpoint
CREATE TABLE "carillon"."calendars" (
	"project_id" bigint NOT NULL,
	"name" text NOT NULL,
	"dates" text[] NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"retimed_at" timestamp (3) with time zone,
	"source_url" text,
	"refresh_seconds" integer,
	"refreshed_at" timestamp (3) with time zone,
	"refresh_due_at" timestamp (3) with time zone,
	"refresh_error" text,
	CONSTRAINT "calendars_project_id_name_pk" PRIMARY KEY("project_id","name"),
	CONSTRAINT "calendars_source" CHECK ((source_url is null) = (refresh_seconds is null))
);
--> statement-breakpoint
CREATE TABLE "carillon"."domain_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"detail" json NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone DEFAULT clock_timestamp(),
	"last_error" text,
	"handled_at" timestamp (3) with time zone,
	"report" json
);
--> statement-breakpoint
CREATE TABLE "carillon"."tasks" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"title" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"target" json,
	"reminder_sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "carillon"."templates" (
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"description" text NOT NULL,
	"rule" json NOT NULL,
	"timezone" text,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "templates_project_id_key_pk" PRIMARY KEY("project_id","key")
);
--> statement-breakpoint
CREATE TABLE "carillon"."user_events" (
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"project_id" bigint NOT NULL,
	"date" date NOT NULL,
	"local_time" text NOT NULL,
	"leap_day" text NOT NULL,
	"message" text,
	"schedule_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "user_events_user_id_name_pk" PRIMARY KEY("user_id","name")
);
--> statement-breakpoint
CREATE TABLE "carillon"."users" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"date_of_birth" date NOT NULL,
	"timezone" text NOT NULL,
	"target" json,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "carillon"."api_keys" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"scopes" text[] NOT NULL,
	"is_from_environment" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "carillon"."audit_log" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text,
	"detail" json
);
--> statement-breakpoint
CREATE TABLE "carillon"."idempotency_keys" (
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"answer" json,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "idempotency_keys_project_id_key_pk" PRIMARY KEY("project_id","key")
);
--> statement-breakpoint
CREATE TABLE "carillon"."projects" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"default_target" json,
	"limits" json DEFAULT '{}'::json NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "projects_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "carillon"."receipts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"schedule_id" bigint NOT NULL,
	"url" text NOT NULL,
	"body" text NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "carillon"."webhook_secrets" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"schedule_id" bigint,
	"sealed" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "carillon"."installation" (
	"is_single" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"generation" integer DEFAULT 1 NOT NULL,
	"key_check" "bytea",
	"swept_at" timestamp (3) with time zone,
	"stats_until" timestamp (3) with time zone,
	"audited_until" timestamp (3) with time zone,
	"audit_progress" jsonb,
	"audit_differences" integer DEFAULT 0 NOT NULL,
	"audit_differed_at" timestamp (3) with time zone,
	"monitor_pinged_at" timestamp (3) with time zone,
	"tzdata" text,
	"tzdata_since" timestamp (3) with time zone,
	"tzdata_next" text,
	"tzdata_cursor" bigint,
	CONSTRAINT "installation_is_single" CHECK (is_single)
);
--> statement-breakpoint
CREATE SEQUENCE "carillon"."leases_epoch_seq";
--> statement-breakpoint
CREATE TABLE "carillon"."leases" (
	"epoch" bigint PRIMARY KEY DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint * 1024 + nextval('carillon.leases_epoch_seq') % 1024 NOT NULL,
	"worker_id" bigint NOT NULL,
	"token" uuid NOT NULL,
	"generation" integer NOT NULL,
	"claimed_at" timestamp (3) with time zone NOT NULL,
	"open_runs" integer NOT NULL,
	"held_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "carillon"."metrics" (
	"name" text NOT NULL,
	"labels" text DEFAULT '' NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "metrics_name_labels_pk" PRIMARY KEY("name","labels")
);
--> statement-breakpoint
CREATE TABLE "carillon"."metric_minutes" (
	"minute" timestamp (3) with time zone NOT NULL,
	"name" text NOT NULL,
	"labels" text DEFAULT '' NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "metric_minutes_minute_name_labels_pk" PRIMARY KEY("minute","name","labels")
);
--> statement-breakpoint
CREATE TABLE "carillon"."workers" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"token" uuid NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"heartbeat_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"alive_until" timestamp (3) with time zone NOT NULL,
	"handlers" text[] DEFAULT '{}' NOT NULL,
	"clock_offset_ms" integer DEFAULT 0 NOT NULL,
	"tzdata" text,
	"stopped_at" timestamp (3) with time zone,
	"in_flight" integer DEFAULT 0 NOT NULL,
	"open_circuits" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "carillon"."run_stats" (
	"project_id" bigint NOT NULL,
	"minute" timestamp (3) with time zone NOT NULL,
	"succeeded" integer NOT NULL,
	"failed" integer NOT NULL,
	"skipped" integer NOT NULL,
	"cancelled" integer NOT NULL,
	"open" integer NOT NULL,
	"lateness" integer[] NOT NULL,
	"computed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "run_stats_project_id_minute_pk" PRIMARY KEY("project_id","minute")
);
--> statement-breakpoint
CREATE TABLE "carillon"."bulk_actions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" bigint NOT NULL,
	"action" text NOT NULL,
	"actor" text NOT NULL,
	"request_key" text,
	"request_hash" text,
	"total" integer,
	"matched" integer DEFAULT 0 NOT NULL,
	"changed" integer DEFAULT 0 NOT NULL,
	"refused" integer DEFAULT 0 NOT NULL,
	"refusals" json DEFAULT '[]'::json NOT NULL,
	"last_id" bigint,
	"started_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"reported_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "carillon"."sessions" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"key_id" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "carillon"."alert_channels" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"type" text NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"settings" json NOT NULL,
	"sealed" "bytea",
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "alert_channels_type" CHECK (type in ('webhook', 'slack', 'email', 'pagerduty'))
);
--> statement-breakpoint
CREATE TABLE "carillon"."alert_messages" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"dedup_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"project_id" bigint NOT NULL,
	"channel_id" bigint NOT NULL,
	"content" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"error" text,
	CONSTRAINT "alert_messages_state" CHECK (sent_at is null or next_try_at is null)
);
--> statement-breakpoint
CREATE TABLE "carillon"."alerts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"dedup_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"project_id" bigint NOT NULL,
	"schedule_id" bigint NOT NULL,
	"schedule_key" text NOT NULL,
	"schedule_name" text,
	"kind" text NOT NULL,
	"occurrence_at" timestamp (3) with time zone NOT NULL,
	"sentence" text NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"resolved_at" timestamp (3) with time zone,
	"resolution" text,
	"noted_at" timestamp (3) with time zone NOT NULL,
	"resolution_noted_at" timestamp (3) with time zone,
	"is_opening_untold" boolean DEFAULT true NOT NULL,
	"is_resolution_untold" boolean DEFAULT false NOT NULL,
	"is_silenced" boolean DEFAULT false NOT NULL,
	CONSTRAINT "alerts_kind" CHECK (kind in ('start', 'end', 'duration', 'success_rate')),
	CONSTRAINT "alerts_resolution" CHECK ((resolved_at is null) = (resolution is null))
);
--> statement-breakpoint
CREATE TABLE "carillon"."maintenance_windows" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"schedule_key" text,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"note" text,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL,
	CONSTRAINT "maintenance_windows_order" CHECK (starts_at < ends_at)
);
--> statement-breakpoint
CREATE TABLE "carillon"."ping_tokens" (
	"schedule_id" bigint PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"generation" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "carillon"."pings" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"schedule_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"body" text,
	"occurrence_at" timestamp (3) with time zone,
	CONSTRAINT "pings_kind" CHECK (kind in ('start', 'success', 'fail'))
);
--> statement-breakpoint
CREATE TABLE "carillon"."slo_watches" (
	"schedule_id" bigint PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"judged_until" timestamp (3) with time zone NOT NULL,
	"check_at" timestamp (3) with time zone NOT NULL,
	"has_open_alert" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "carillon"."feeds" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"schedule_key" text,
	"tag" text,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "feeds_scope" CHECK (schedule_key is null or tag is null)
);
--> statement-breakpoint
CREATE TABLE "carillon"."sql_requests" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"action" text NOT NULL,
	"key" text NOT NULL,
	"body" json,
	"actor" text NOT NULL,
	"requested_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "sql_requests_action" CHECK (action in ('schedule', 'cancel', 'trigger')),
	CONSTRAINT "sql_requests_body" CHECK ((action = 'schedule') = (body is not null))
);
--> statement-breakpoint
CREATE TABLE "carillon"."sql_roles" (
	"role" text PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "runs_project" ON "carillon"."runs" USING btree ("project_id","happened_at");--> statement-breakpoint
CREATE INDEX "runs_lease" ON "carillon"."runs" USING btree ("epoch","schedule_id") WHERE epoch is not null;--> statement-breakpoint
CREATE INDEX "runs_waiting" ON "carillon"."runs" USING btree ("next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "runs_waiting_of_project" ON "carillon"."runs" USING btree ("project_id","next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "runs_waiting_of_schedule" ON "carillon"."runs" USING btree ("schedule_id") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "runs_failed" ON "carillon"."runs" USING btree ("project_id","failed_at") WHERE failed_at is not null;--> statement-breakpoint
CREATE INDEX "agenda_due" ON "carillon"."agenda" USING btree ("due_at","schedule_id") WHERE not is_held;--> statement-breakpoint
CREATE INDEX "agenda_due_by_project" ON "carillon"."agenda" USING btree ("project_id","due_at","schedule_id") WHERE not is_held;--> statement-breakpoint
CREATE INDEX "gaps_schedule" ON "carillon"."gaps" USING btree ("schedule_id","from_at");--> statement-breakpoint
CREATE INDEX "gaps_age" ON "carillon"."gaps" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "schedule_versions_age" ON "carillon"."schedule_versions" USING btree ("superseded_at");--> statement-breakpoint
CREATE UNIQUE INDEX "schedules_key" ON "carillon"."schedules" USING btree ("project_id","key");--> statement-breakpoint
CREATE INDEX "schedules_project" ON "carillon"."schedules" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "schedules_target" ON "carillon"."schedules" USING btree ("project_id","target_type","id");--> statement-breakpoint
CREATE INDEX "schedules_tags" ON "carillon"."schedules" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "schedules_stopped" ON "carillon"."schedules" USING btree ("project_id","id") WHERE status <> 'active';--> statement-breakpoint
CREATE INDEX "schedules_paused_by_engine" ON "carillon"."schedules" USING btree ("project_id","paused_at") WHERE paused_by = 'carillon';--> statement-breakpoint
CREATE INDEX "schedules_paused_until" ON "carillon"."schedules" USING btree ("paused_until") WHERE paused_until is not null;--> statement-breakpoint
CREATE INDEX "schedules_calendars" ON "carillon"."schedules" USING btree ("project_id") WHERE timing like '%"calendars":%';--> statement-breakpoint
CREATE INDEX "domain_events_next_try" ON "carillon"."domain_events" USING btree ("next_try_at") WHERE next_try_at is not null;--> statement-breakpoint
CREATE INDEX "domain_events_handled" ON "carillon"."domain_events" USING btree ("handled_at") WHERE handled_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "tasks_key" ON "carillon"."tasks" USING btree ("project_id","key");--> statement-breakpoint
CREATE INDEX "tasks_project" ON "carillon"."tasks" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "tasks_due" ON "carillon"."tasks" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "tasks_reminder_sent" ON "carillon"."tasks" USING btree ("reminder_sent_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_key" ON "carillon"."users" USING btree ("project_id","key");--> statement-breakpoint
CREATE INDEX "users_project" ON "carillon"."users" USING btree ("project_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "carillon"."api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_project" ON "carillon"."api_keys" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "audit_log_project" ON "carillon"."audit_log" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "carillon"."audit_log" USING btree ("project_id","subject","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "carillon"."audit_log" USING btree ("project_id","action","id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "carillon"."idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "receipts_next_try" ON "carillon"."receipts" USING btree ("next_try_at");--> statement-breakpoint
CREATE INDEX "receipts_next_try_of_project" ON "carillon"."receipts" USING btree ("project_id","next_try_at");--> statement-breakpoint
CREATE INDEX "deferrals_age" ON "carillon"."deferrals" USING btree ("from_at");--> statement-breakpoint
CREATE INDEX "run_stats_minute" ON "carillon"."run_stats" USING btree ("minute");--> statement-breakpoint
CREATE INDEX "run_stats_open" ON "carillon"."run_stats" USING btree ("computed_at") WHERE open > 0;--> statement-breakpoint
CREATE INDEX "bulk_actions_project" ON "carillon"."bulk_actions" USING btree ("project_id","started_at");--> statement-breakpoint
CREATE INDEX "bulk_actions_age" ON "carillon"."bulk_actions" USING btree ("started_at");--> statement-breakpoint
CREATE UNIQUE INDEX "bulk_actions_request" ON "carillon"."bulk_actions" USING btree ("project_id","request_key") WHERE request_key is not null;--> statement-breakpoint
CREATE INDEX "sessions_key" ON "carillon"."sessions" USING btree ("key_id","created_at");--> statement-breakpoint
CREATE INDEX "sessions_expires" ON "carillon"."sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "feeds_hash" ON "carillon"."feeds" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "feeds_project" ON "carillon"."feeds" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "calendars_refresh_due" ON "carillon"."calendars" USING btree ("refresh_due_at") WHERE refresh_due_at is not null;--> statement-breakpoint
CREATE INDEX "webhook_secrets_schedule" ON "carillon"."webhook_secrets" USING btree ("schedule_id") WHERE schedule_id is not null;--> statement-breakpoint
CREATE INDEX "webhook_secrets_project" ON "carillon"."webhook_secrets" USING btree ("project_id") WHERE schedule_id is null;--> statement-breakpoint
CREATE INDEX "leases_held_until" ON "carillon"."leases" USING btree ("held_until");--> statement-breakpoint
CREATE UNIQUE INDEX "alert_channels_key" ON "carillon"."alert_channels" USING btree ("project_id","key");--> statement-breakpoint
CREATE INDEX "alert_messages_next_try" ON "carillon"."alert_messages" USING btree ("next_try_at") WHERE next_try_at is not null;--> statement-breakpoint
CREATE INDEX "alert_messages_pending" ON "carillon"."alert_messages" USING btree ("channel_id","id") WHERE next_try_at is not null;--> statement-breakpoint
CREATE INDEX "alert_messages_channel" ON "carillon"."alert_messages" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "alert_messages_age" ON "carillon"."alert_messages" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_breach" ON "carillon"."alerts" USING btree ("schedule_id","kind","occurrence_at");--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_open" ON "carillon"."alerts" USING btree ("schedule_id","kind") WHERE resolved_at is null;--> statement-breakpoint
CREATE INDEX "alerts_project" ON "carillon"."alerts" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "alerts_open_of_project" ON "carillon"."alerts" USING btree ("project_id","id") WHERE resolved_at is null;--> statement-breakpoint
CREATE INDEX "alerts_untold" ON "carillon"."alerts" USING btree ("project_id") WHERE is_opening_untold or is_resolution_untold;--> statement-breakpoint
CREATE INDEX "alerts_age" ON "carillon"."alerts" USING btree ("resolved_at") WHERE resolved_at is not null;--> statement-breakpoint
CREATE INDEX "maintenance_windows_project" ON "carillon"."maintenance_windows" USING btree ("project_id","ends_at");--> statement-breakpoint
CREATE INDEX "maintenance_windows_age" ON "carillon"."maintenance_windows" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "pings_schedule" ON "carillon"."pings" USING btree ("schedule_id","at");--> statement-breakpoint
CREATE INDEX "pings_age" ON "carillon"."pings" USING btree ("at");--> statement-breakpoint
CREATE INDEX "slo_watches_check" ON "carillon"."slo_watches" USING btree ("check_at");--> statement-breakpoint
CREATE INDEX "sql_requests_project" ON "carillon"."sql_requests" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "sql_requests_key" ON "carillon"."sql_requests" USING btree ("project_id","key","id");--> statement-breakpoint
-- All attempts of all runs: the latest attempt is on the run itself, the earlier ones are in "attempts". A run that was
-- deferred has taken its latest attempt back.
CREATE VIEW "carillon"."run_attempts" AS
  SELECT "schedule_id", "occurrence_at", "origin", "number", "epoch", "worker_id", "claimed_at", "finished_at",
    "outcome", "http_status", "duration_ms", "error_code", "error", "response", "external_id"
  FROM "carillon"."attempts"
  UNION ALL
  SELECT "schedule_id", "occurrence_at", "origin", "attempt", "epoch", "worker_id", "claimed_at", "finished_at",
    "outcome", "http_status", "duration_ms", "error_code", "error", "response", "external_id"
  FROM "carillon"."runs" WHERE "attempt" > 0 AND ("outcome" IS NOT NULL OR "status" = 'running');
--> statement-breakpoint
CREATE FUNCTION "carillon"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Retention may delete: it says so for its own transaction.
  IF TG_OP = 'DELETE' AND current_setting('carillon.retention', true) = 'on' THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE ON "carillon"."audit_log"
  FOR EACH ROW EXECUTE FUNCTION "carillon"."refuse_change"();
--> statement-breakpoint
-- A fifth of each page stays free. A change that touches no indexed column, such as skipping an occurrence, then stays on
-- its page and rewrites no index entry; the index for searching is costly to write.
ALTER TABLE "carillon"."schedules" SET (fillfactor = 80);
--> statement-breakpoint
-- Keeps "slo_watches" in step with the definitions, whichever statement changes a schedule. The WHEN clauses are evaluated
-- without calling the function, so schedules without objectives cost next to nothing. Objectives that were added to a
-- schedule apply from now on; those of a new schedule apply to each of its occurrences.
CREATE FUNCTION "carillon"."watch_slo"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE "carillon"."slo_watches" SET "check_at" = '-infinity' WHERE "schedule_id" = OLD."id";
    RETURN NULL;
  END IF;
  INSERT INTO "carillon"."slo_watches" ("schedule_id", "project_id", "judged_until", "check_at")
  VALUES (NEW."id", NEW."project_id", CASE TG_OP WHEN 'INSERT' THEN to_timestamp(0) ELSE NEW."updated_at" END, '-infinity')
  ON CONFLICT ("schedule_id") DO UPDATE SET "check_at" = '-infinity';
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "schedules_slo_created" AFTER INSERT ON "carillon"."schedules"
  FOR EACH ROW WHEN (NEW."plan" LIKE '%"slo":{%') EXECUTE FUNCTION "carillon"."watch_slo"();
--> statement-breakpoint
CREATE TRIGGER "schedules_slo_changed" AFTER UPDATE OF "plan", "status" ON "carillon"."schedules"
  FOR EACH ROW WHEN (NEW."plan" LIKE '%"slo":{%' OR OLD."plan" LIKE '%"slo":{%') EXECUTE FUNCTION "carillon"."watch_slo"();
--> statement-breakpoint
CREATE TRIGGER "schedules_slo_deleted" AFTER DELETE ON "carillon"."schedules"
  FOR EACH ROW WHEN (OLD."plan" LIKE '%"slo":{%') EXECUTE FUNCTION "carillon"."watch_slo"();
--> statement-breakpoint
-- SQL in the user's own transaction. The functions "schedule", "cancel" and "trigger" run with the rights of their owner,
-- so that a role needs no right on any table to call them. Each checks what can be checked without the rule engine and
-- leaves a row in "sql_requests", which a worker carries out after the commit. No function puts text of its caller into a
-- statement, and search_path is fixed, so that the caller can't replace what they use.
--
-- The role that calls is the login role, or the one that SET ROLE has chosen: current_user is the owner here.
CREATE FUNCTION "carillon"."sql_caller"("project" text, OUT "project_id" bigint, OUT "actor" text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  caller text := CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role') END;
  bound text;
BEGIN
  "actor" := 'sql:' || caller;
  IF pg_has_role(caller, current_user, 'USAGE') THEN
    SELECT p."id" INTO "project_id" FROM "carillon"."projects" p WHERE p."key" = coalesce("project", 'default');
    IF "project_id" IS NULL THEN
      RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('there is no project with the id %s', "project");
    END IF;
    RETURN;
  END IF;
  SELECT p."id", p."key" INTO "project_id", bound
  FROM "carillon"."sql_roles" r JOIN "carillon"."projects" p ON p."id" = r."project_id" WHERE r."role" = caller;
  IF "project_id" IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
      MESSAGE = format('the role %s is bound to no project, so it may not schedule', caller),
      HINT = 'The owner of the installation binds it with the function bind_role(role, project).';
  END IF;
  IF "project" <> bound THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
      MESSAGE = format('the role %s is bound to the project %s and may not name another', caller, bound);
  END IF;
END $$;
--> statement-breakpoint
CREATE FUNCTION "carillon"."schedule"(
  "id" text, "at" timestamptz DEFAULT NULL, "cron" text DEFAULT NULL, "every" interval DEFAULT NULL,
  "in" interval DEFAULT NULL, "rrule" text DEFAULT NULL, "timezone" text DEFAULT NULL, "target" jsonb DEFAULT NULL,
  "payload" jsonb DEFAULT NULL, "options" jsonb DEFAULT NULL, "project" text DEFAULT NULL
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET intervalstyle = 'iso_8601' AS $$
DECLARE
  caller record;
  rule jsonb;
  body jsonb;
  refusal text;
BEGIN
  caller := "carillon"."sql_caller"("project");
  rule := jsonb_strip_nulls(jsonb_build_object(
    -- Rounded up to milliseconds: nothing fires early.
    'at', to_char(date_trunc('milliseconds', "at" + interval '999 microseconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'cron', "cron", 'every', "every"::text, 'in', "in"::text, 'rrule', "rrule"));
  body := coalesce("options", '{}') || jsonb_build_object('rule', rule);
  IF rule = '{}' THEN body := body - 'rule'; END IF;
  IF "timezone" IS NOT NULL THEN body := body || jsonb_build_object('timezone', "timezone"); END IF;
  IF "target" IS NOT NULL THEN body := body || jsonb_build_object('target', "target"); END IF;
  IF "payload" IS NOT NULL THEN body := body || jsonb_build_object('payload', "payload"); END IF;
  refusal := CASE
    WHEN "id" IS NULL OR "id" !~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$' THEN
      'id: expected 1 to 128 letters, digits, ".", "_", "~" or "-", beginning with a letter or digit'
    WHEN "id" ~ '^(rem_|evt_)' THEN
      'id: expected an id that does not begin with "rem_" or "evt_": these are made by Carillon'
    WHEN NOT isfinite("at") THEN 'at: expected a finite time'
    WHEN jsonb_typeof("options") <> 'object' THEN 'options: expected an object'
    WHEN "options" ?| ARRAY['id', 'rule', 'timezone', 'target', 'payload'] THEN
      'options: id, rule, timezone, target and payload are arguments of their own'
    WHEN (SELECT count(*) FROM jsonb_object_keys(rule)) <> 1 AND NOT (rule = '{}' AND body ? 'template') THEN
      'rule: expected exactly one of at, in, every, cron, rrule'
    WHEN NOT isfinite("every") OR "every" <= interval '0' THEN 'every: expected a positive interval'
    WHEN NOT isfinite("in") OR "in" < interval '0' THEN 'in: expected an interval that is not negative'
    WHEN coalesce("target" ->> 'type', '') NOT IN ('webhook', 'queue', 'handler', 'call', 'heartbeat') AND "target" IS NOT NULL THEN
      'target: expected an object whose type is webhook, queue, handler, call or heartbeat'
    WHEN octet_length(body::text) > 262144 THEN
      format('payload: the request has %s bytes, and at most 262144 are accepted', octet_length(body::text))
  END;
  IF refusal IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('the schedule %s is refused: %s', left("id", 128), refusal);
  END IF;
  INSERT INTO "carillon"."sql_requests" ("project_id", "action", "key", "body", "actor")
  VALUES (caller."project_id", 'schedule', "id", body, caller."actor");
  RETURN "id";
END $$;
--> statement-breakpoint
-- Returns false if there is nothing to cancel. A request that no worker has carried out yet is withdrawn. A schedule is
-- held at once: from the commit on no claim takes it, even if no worker is there to carry the cancel out. The locks are
-- taken in the order of every change: the schedule first, its agenda row second.
CREATE FUNCTION "carillon"."cancel"("id" text, "project" text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  caller record;
  is_withdrawn boolean;
  schedule bigint;
BEGIN
  caller := "carillon"."sql_caller"("project");
  WITH withdrawn AS (
    DELETE FROM "carillon"."sql_requests" r
    WHERE r."project_id" = caller."project_id" AND r."key" = cancel."id" AND r."action" <> 'cancel'
    RETURNING r."action"
  )
  SELECT count(*) FILTER (WHERE w."action" = 'schedule') > 0 INTO is_withdrawn FROM withdrawn w;
  SELECT s."id" INTO schedule FROM "carillon"."schedules" s
  WHERE s."project_id" = caller."project_id" AND s."key" = cancel."id" AND s."status" <> 'cancelled' FOR UPDATE;
  IF schedule IS NULL THEN
    IF is_withdrawn THEN
      INSERT INTO "carillon"."audit_log" ("project_id", "actor", "action", "subject")
      VALUES (caller."project_id", caller."actor", 'schedule.withdrawn', cancel."id");
    END IF;
    RETURN is_withdrawn;
  END IF;
  UPDATE "carillon"."agenda" a SET "is_held" = true WHERE a."schedule_id" = schedule;
  UPDATE "carillon"."runs" r SET "next_attempt_at" = 'infinity' WHERE r."schedule_id" = schedule AND r."next_attempt_at" IS NOT NULL;
  INSERT INTO "carillon"."sql_requests" ("project_id", "action", "key", "actor")
  VALUES (caller."project_id", 'cancel', cancel."id", caller."actor");
  RETURN true;
END $$;
--> statement-breakpoint
CREATE FUNCTION "carillon"."trigger"("id" text, "project" text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  caller record;
BEGIN
  caller := "carillon"."sql_caller"("project");
  IF NOT EXISTS (SELECT FROM "carillon"."schedules" s WHERE s."project_id" = caller."project_id" AND s."key" = "trigger"."id")
    AND NOT EXISTS (SELECT FROM "carillon"."sql_requests" r WHERE r."project_id" = caller."project_id" AND r."key" = "trigger"."id" AND r."action" = 'schedule')
  THEN
    RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('there is no schedule with the id %s', left("id", 128));
  END IF;
  INSERT INTO "carillon"."sql_requests" ("project_id", "action", "key", "actor")
  VALUES (caller."project_id", 'trigger', "id", caller."actor");
END $$;
--> statement-breakpoint
-- Wakes the workers when the transaction commits. Postgres sends one notification per transaction, however many requests it has.
CREATE FUNCTION "carillon"."notify_request"() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_notify('carillon_requests', '');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "sql_requests_notify" AFTER INSERT ON "carillon"."sql_requests"
  FOR EACH STATEMENT EXECUTE FUNCTION "carillon"."notify_request"();
--> statement-breakpoint
-- For the owner of the installation: binds a role to a project and grants it the three functions, and no right on a table.
CREATE FUNCTION "carillon"."bind_role"("role" text, "project" text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  bound bigint := (SELECT p."id" FROM "carillon"."projects" p WHERE p."key" = "project");
  home text := (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = '"carillon"."sql_roles"'::regclass);
BEGIN
  IF bound IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('there is no project with the id %s', "project");
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = "role") THEN
    RAISE EXCEPTION USING ERRCODE = 'undefined_object', MESSAGE = format('there is no role with the name %s', "role");
  END IF;
  INSERT INTO "carillon"."sql_roles" ("role", "project_id") VALUES ("role", bound)
  ON CONFLICT ON CONSTRAINT "sql_roles_pkey" DO UPDATE SET "project_id" = EXCLUDED."project_id";
  INSERT INTO "carillon"."audit_log" ("project_id", "actor", "action", "subject") VALUES (bound, 'sql:' || current_user, 'sql_role.bound', "role");
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', home, "role");
  EXECUTE format('GRANT EXECUTE ON FUNCTION %1$I.schedule, %1$I.cancel, %1$I.trigger TO %2$I', home, "role");
END $$;
--> statement-breakpoint
CREATE FUNCTION "carillon"."unbind_role"("role" text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  bound bigint;
  home text := (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = '"carillon"."sql_roles"'::regclass);
BEGIN
  DELETE FROM "carillon"."sql_roles" r WHERE r."role" = unbind_role."role" RETURNING r."project_id" INTO bound;
  IF bound IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('the role %s is bound to no project', "role");
  END IF;
  INSERT INTO "carillon"."audit_log" ("project_id", "actor", "action", "subject") VALUES (bound, 'sql:' || current_user, 'sql_role.unbound', "role");
  -- The role may have been dropped meanwhile, and its grants with it.
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = "role") THEN
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %1$I.schedule, %1$I.cancel, %1$I.trigger FROM %2$I', home, "role");
    EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM %I', home, "role");
  END IF;
END $$;
--> statement-breakpoint
-- Postgres lets every role execute a new function. These are for the roles that bind_role names, or for the owner only.
REVOKE ALL ON FUNCTION "carillon"."sql_caller", "carillon"."schedule", "carillon"."cancel", "carillon"."trigger",
  "carillon"."notify_request", "carillon"."bind_role", "carillon"."unbind_role" FROM PUBLIC;
--> statement-breakpoint
-- Lists are searched by fragments of ids and names. pg_trgm is a trusted extension, so the owner of the database may create
-- it. Without it searching still works, and reads the project's schedules one by one. Generated ids are left out of the
-- index: people do not search for a fragment of one, and they would be most of it.
DO $$
DECLARE home text;
BEGIN
  BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
  EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'pg_trgm is not available: %', SQLERRM;
  END;
  SELECT nspname INTO home FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_trgm';
  IF home IS NOT NULL THEN
    EXECUTE format(
      $index$CREATE INDEX "schedules_search" ON "carillon"."schedules" USING gin
        (lower(CASE WHEN key LIKE 'sch\_%%' THEN '' ELSE key || ' ' END || coalesce(name, '')) %I.gin_trgm_ops)$index$, home);
  END IF;
END $$;
--> statement-breakpoint
INSERT INTO "carillon"."installation" ("is_single") VALUES (true);
--> statement-breakpoint
INSERT INTO "carillon"."projects" ("key", "name") VALUES ('default', 'Default');
