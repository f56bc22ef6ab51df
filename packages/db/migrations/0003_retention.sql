ALTER TABLE "carillon"."projects" ADD COLUMN "retention" json DEFAULT '{}'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "carillon"."projects" ADD COLUMN "history_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "carillon"."installation" ADD COLUMN "retention_cursor" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Written by hand from here on. The audit log is append-only. Retention may delete old entries: for its own transaction it
-- names the instant before which entries are past their retention. An entry that is younger than a day is never deleted.
CREATE OR REPLACE FUNCTION "carillon"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  past text := nullif(current_setting('carillon_retention.before', true), '');
BEGIN
  IF TG_OP = 'DELETE' AND past IS NOT NULL THEN
    IF OLD."at" < least(past::timestamptz, clock_timestamp() - interval '1 day') THEN RETURN OLD; END IF;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_log_no_truncate" BEFORE TRUNCATE ON "carillon"."audit_log"
  FOR EACH STATEMENT EXECUTE FUNCTION "carillon"."refuse_change"();
