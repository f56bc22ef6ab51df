import { storePlan, storeTiming } from '@carillon/shared';
import type { Pool } from 'pg';
import { draft, PROJECT_ID } from '../harness/drafts.js';

/** The number of rows of a project that has been in use for a month. */
export interface History {
  schedules: number;
  runs: number;
}

/** Number of rows that one statement inserts. */
const ROWS_PER_STATEMENT = 500_000;

const WEBHOOK = { type: 'webhook' as const, url: 'https://receiver-1.example.com/hook', headers: {} };

/**
 * The number n of a schedule modulo 20 says what kind of schedule it is. 0 to 8: a daily schedule, at minute n of the
 * day. 9 to 14: a one-shot in the coming month. 15 to 17: a one-shot that has fired. 18: a paused schedule; the engine
 * has paused one in a hundred of them, and a person the others. 19: a cancelled schedule. Schedule 0 runs every minute.
 * The schedules are spread evenly over a thousand receivers.
 */
const SEED_SCHEDULES = `
  with made as (
    insert into carillon.schedules (project_id, key, name, tags, target_type, rule, timing, plan, payload, defined_by,
      request_hash, created_at, defined_at)
    select $1, 'order-' || n, 'Reminder of order ' || n,
      array['team-' || n % 100] || case when n % 50000 = 7 then array['rare'] else '{}' end,
      'webhook',
      case when n = 0 then $3::json when k between 9 and 17 then $5::json
           else replace($7, '17 3 ', n % 60 || ' ' || n / 60 % 24 || ' ')::json end,
      case when n = 0 then $4 when k between 9 and 17 then $6
           else replace($8, '17 3 ', n % 60 || ' ' || n / 60 % 24 || ' ') end,
      replace($9, 'receiver-1.', 'receiver-' || n % 1000 || '.'),
      json_build_object('order', n), 'bench', n::text,
      now() - interval '30 days' + n * interval '1 second', now() - interval '30 days' + n * interval '1 second'
    from generate_series($2::int, $10::int) as n, lateral (select n % 20 as k) as kind
    returning id, project_id, substr(key, 7)::int as n
  )
  insert into carillon.agenda (schedule_id, project_id, occurrence_at, due_at, is_held, runs_total)
  select id, project_id, due_at, due_at, n % 20 = 18, case when n % 20 < 9 then 30 else 0 end
  from made cross join lateral (
    select case when n = 0 then date_trunc('minute', now()) + interval '10 minutes'
                when n % 20 between 9 and 14 then date_trunc('minute', now()) + interval '10 minutes' + n % 43000 * interval '1 minute'
                else date_trunc('day', now()) + interval '1 day' + n % 1440 * interval '1 minute' end as due_at
  ) as next
  where n % 20 not between 15 and 17 and n % 20 <> 19`;

/**
 * The seed creates these schedules as active ones. This statement pauses or cancels them, as a person or the engine
 * would do later.
 */
const STOP_SCHEDULES = `
  update carillon.schedules s
  set status = (case n % 20 when 18 then 'paused' else 'cancelled' end)::carillon.schedule_status,
    paused_at = case n % 20 when 18 then now() - n % 40000 * interval '1 minute' end,
    paused_by = case n % 20 when 18 then case when n % 2000 = 18 then 'carillon' else 'admin' end end,
    pause_note = case n % 20 when 18 then 'receiver answered 410 Gone' end
  from generate_series($2::int, $3::int) as n
  where s.project_id = $1 and s.key = 'order-' || n and n % 20 >= 18`;

/**
 * Inserts the runs, which are spread evenly over a month. A tenth of them belong to the schedule that runs every
 * minute, the others to schedules that run daily or have finished. One run in a hundred failed, with one of twenty
 * errors; one in a hundred was skipped; one in ten thousand waits for its next attempt.
 */
const SEED_RUNS = `
  insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, status, due_at, recorded_at,
    happened_at, epoch, attempt, lateness_ms, next_attempt_at, failed_at, claimed_at, finished_at, outcome, http_status, duration_ms,
    error_code, error, reason_code, reason)
  select s.id, at, 'rule', date_trunc('month', at at time zone 'UTC')::date, $1, 1, status::carillon.run_status, at, at, at,
    case when status <> 'skipped' then n + 1 end, case status when 'skipped' then 0 else 1 end, case when status <> 'skipped' then n % 40 end,
    case status when 'retrying' then now() + interval '1 hour' end,
    case status when 'failed' then at end, case when status <> 'skipped' then at end,
    case when status <> 'retrying' then at + interval '20 ms' end,
    (case status when 'succeeded' then 'succeeded' when 'skipped' then null else 'failed' end)::carillon.attempt_outcome,
    case status when 'succeeded' then 200 when 'failed' then 500 end, 20,
    case status when 'failed' then 'http_500' end,
    case status when 'failed' then 'the receiver answered 500: error ' || n / 100 % 20 end,
    case status when 'skipped' then 'overlap' end, case status when 'skipped' then 'the run before was still open' end
  from generate_series($2::int, $3::int) as n
  cross join lateral (
    select date_trunc('milliseconds', now() - interval '10 seconds' - n * $4::float8 * interval '1 millisecond') as at,
      case when n % 100 = 13 then 'failed' when n % 100 = 57 then 'skipped' when n % 10000 = 99 then 'retrying'
           else 'succeeded' end as status,
      n / 10 % ($6::int * 3 / 5) as m
  ) as run
  cross join lateral (
    select $5::bigint + case when n % 10 = 0 then 0 else m / 12 * 20 + m % 12 + case when m % 12 > 8 then 6 else 0 end end as id
  ) as s
  on conflict do nothing`;

const SEED_STATS = `
  insert into carillon.run_stats (project_id, minute, succeeded, failed, skipped, cancelled, open, lateness, computed_at)
  select $1, minute, 226, 2, 2, 0, 0, array[10,20,50,90,46,10,4,0,0,0,0,0,0,0,0,0,0], now()
  from generate_series(date_trunc('minute', now()) - interval '34 days', date_trunc('minute', now()) - interval '2 minutes',
    interval '1 minute') as minute`;

const SEED_AUDIT = `
  insert into carillon.audit_log (project_id, at, actor, action, subject)
  select $1, created_at, 'bench', 'schedule.created', key from carillon.schedules where project_id = $1`;

const MONTH_MS = 30 * 86_400_000;

/** Inserts a month of history, so that the pages of the dashboard are measured on a large installation. */
export async function seedHistory(
  pool: Pool,
  { schedules, runs }: History,
  say: (text: string) => void,
): Promise<void> {
  const nowAt = Date.now();
  const minutely = draft({ id: 'minutely', rule: { cron: '* * * * *' }, target: WEBHOOK }, nowAt);
  const once = draft({ id: 'once', rule: { at: '2030-01-01T00:00:00Z' }, target: WEBHOOK }, nowAt);
  const daily = draft({ id: 'daily', rule: { cron: '17 3 * * *' }, target: WEBHOOK }, nowAt);
  await pool.query(`set synchronous_commit = off`);
  for (let from = 0; from < schedules; from += ROWS_PER_STATEMENT) {
    const until = Math.min(from + ROWS_PER_STATEMENT, schedules) - 1;
    const definitions = [minutely, once, daily].flatMap(({ rule, timing }) => [
      JSON.stringify(rule),
      storeTiming(timing),
    ]);
    await pool.query(SEED_SCHEDULES, [PROJECT_ID, from, ...definitions, storePlan(daily.plan), until]);
    await pool.query(STOP_SCHEDULES, [PROJECT_ID, from, until]);
    say(`${until + 1} schedules`);
  }
  const first = await pool.query<{ id: number }>('select min(id) as id from carillon.schedules');
  for (const month of [nowAt, nowAt - MONTH_MS]) await createMonth(pool, new Date(month));
  for (let from = 0; from < runs; from += ROWS_PER_STATEMENT) {
    const until = Math.min(from + ROWS_PER_STATEMENT, runs) - 1;
    await pool.query(SEED_RUNS, [PROJECT_ID, from, until, MONTH_MS / runs, first.rows[0]?.id, schedules]);
    say(`${until + 1} runs`);
  }
  await pool.query(SEED_STATS, [PROJECT_ID]);
  await pool.query(
    `update carillon.installation set stats_until = date_trunc('minute', now()) - interval '1 minute'`,
  );
  await pool.query(SEED_AUDIT, [PROJECT_ID]);
}

/** Creates the partitions of a month. */
export async function createMonth(pool: Pool, date: Date): Promise<void> {
  const month = date.toISOString().slice(0, 7);
  for (const table of ['runs', 'attempts'])
    await pool.query(
      `create table if not exists carillon.${table}_${month.replace('-', '_')} partition of carillon.${table} for values in ('${month}-01')`,
    );
}
