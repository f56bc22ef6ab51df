-- function bind_role(role text, project text)
void set search_path=pg_catalog, pg_temp
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
END

-- function cancel(id text, project text)
boolean security definer set search_path=pg_catalog, pg_temp
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
END

-- function list_stopped()
trigger set enable_seqscan=off, enable_hashjoin=off, enable_mergejoin=off
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
END

-- function notify_request()
trigger set search_path=pg_catalog, pg_temp
BEGIN
  PERFORM pg_notify('carillon_requests', '');
  RETURN NULL;
END

-- function refuse_change()
trigger
DECLARE
  past text := nullif(current_setting('carillon_retention.before', true), '');
BEGIN
  IF TG_OP = 'DELETE' AND past IS NOT NULL THEN
    IF OLD."at" < least(past::timestamptz, clock_timestamp() - interval '1 day') THEN RETURN OLD; END IF;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END

-- function schedule(id text, at timestamp with time zone, cron text, every interval, "in" interval, rrule text, timezone text, target jsonb, payload jsonb, options jsonb, project text)
text security definer set search_path=pg_catalog, pg_temp, IntervalStyle=iso_8601
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
END

-- function sql_caller(project text, OUT project_id bigint, OUT actor text)
record set search_path=pg_catalog, pg_temp
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
END

-- function trigger(id text, project text)
void security definer set search_path=pg_catalog, pg_temp
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
END

-- function unbind_role(role text)
void set search_path=pg_catalog, pg_temp
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
END

-- function watch_slo()
trigger
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE "carillon"."slo_watches" SET "check_at" = '-infinity' WHERE "schedule_id" = OLD."id";
    RETURN NULL;
  END IF;
  INSERT INTO "carillon"."slo_watches" ("schedule_id", "project_id", "judged_until", "check_at")
  VALUES (NEW."id", NEW."project_id", CASE TG_OP WHEN 'INSERT' THEN to_timestamp(0) ELSE NEW."updated_at" END, '-infinity')
  ON CONFLICT ("schedule_id") DO UPDATE SET "check_at" = '-infinity';
  RETURN NULL;
END

-- options of runs of a month
fillfactor=45

-- options of schedules
fillfactor=80

-- partitioned table attempts
LIST (month)

-- partitioned table runs
LIST (month)

-- trigger audit_log_append_only
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change()

-- trigger audit_log_no_truncate
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

-- trigger schedules_list_stopped
CREATE TRIGGER schedules_list_stopped AFTER UPDATE ON schedules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_stopped()

-- trigger schedules_slo_changed
CREATE TRIGGER schedules_slo_changed AFTER UPDATE OF plan, status ON schedules FOR EACH ROW WHEN (((new.plan ~~ '%"slo":{%'::text) OR (old.plan ~~ '%"slo":{%'::text))) EXECUTE FUNCTION watch_slo()

-- trigger schedules_slo_created
CREATE TRIGGER schedules_slo_created AFTER INSERT ON schedules FOR EACH ROW WHEN ((new.plan ~~ '%"slo":{%'::text)) EXECUTE FUNCTION watch_slo()

-- trigger schedules_slo_deleted
CREATE TRIGGER schedules_slo_deleted AFTER DELETE ON schedules FOR EACH ROW WHEN ((old.plan ~~ '%"slo":{%'::text)) EXECUTE FUNCTION watch_slo()

-- trigger sql_requests_notify
CREATE TRIGGER sql_requests_notify AFTER INSERT ON sql_requests FOR EACH STATEMENT EXECUTE FUNCTION notify_request()

-- view run_attempts
SELECT schedule_id,
    occurrence_at,
    origin,
    number,
    epoch,
    worker_id,
    claimed_at,
    finished_at,
    outcome,
    http_status,
    duration_ms,
    error_code,
    error,
    response,
    external_id
   FROM attempts
UNION ALL
 SELECT schedule_id,
    occurrence_at,
    origin,
    attempt AS number,
    epoch,
    worker_id,
    claimed_at,
    finished_at,
    outcome,
    http_status,
    duration_ms,
    error_code,
    error,
    response,
    external_id
   FROM runs
  WHERE ((attempt > 0) AND ((outcome IS NOT NULL) OR (status = 'running'::run_status)));
