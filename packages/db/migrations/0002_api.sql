CREATE TABLE "idempotency_keys" (
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"answer" json,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "idempotency_keys_project_id_key_pk" PRIMARY KEY("project_id","key")
);
--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "schedule_versions_project" ON "schedule_versions" USING btree ("project_id","schedule_id") WHERE superseded_at is null;--> statement-breakpoint
CREATE INDEX "schedules_stopped" ON "schedules" USING btree ("project_id","id") WHERE status in ('paused', 'cancelled');--> statement-breakpoint
-- Lists are searched by fragments of ids and names. pg_trgm is a trusted extension, so whoever owns the database may
-- create it; where it can't be had, searching still works and reads the project's schedules one by one. Ids that we made
-- ourselves are left out: nobody looks for a piece of one, and they would be most of the index.
DO $$
DECLARE home text;
BEGIN
  BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
  EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'pg_trgm is not available: %', SQLERRM;
  END;
  SELECT nspname INTO home FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_trgm';
  IF home IS NOT NULL THEN
    EXECUTE format(
      $index$CREATE INDEX "schedule_versions_search" ON "schedule_versions" USING gin
        (lower(CASE WHEN key LIKE 'sch\_%%' THEN '' ELSE key || ' ' END || coalesce(name, '')) %I.gin_trgm_ops)
        WHERE superseded_at IS NULL$index$, home);
  END IF;
END $$;
