import type { Pool } from 'pg';
import { draft, PROJECT_ID } from './drafts.js';

export interface Seed {
  /** Begins the ids of these schedules; unique within the round. */
  prefix: string;
  count: number;
  /** The instants at which they are due lie evenly between these two. */
  fromAt: number;
  untilAt: number;
}

/** Next year, after it has fired: what has fired once stays out of the way. */
const RULE = { cron: '0 0 1 1 *' };
const AT_ONCE = 100_000;

/**
 * The same rows as the API would write for each of them, but by the hundred thousand. The payload is that of a job, so
 * that the bench's handler can tell them apart.
 */
const SEED = `
  with made as (
    insert into schedules (project_id, key, occurrence_at, next_run_at)
    select $1, $2 || n, due_at, due_at
    from (select n, to_timestamp(($3::float8 + floor(n * $4::float8)) / 1000)::timestamptz(3) as due_at
          from generate_series($5::int, $6::int) as n) as numbered
    returning id, key, next_run_at
  )
  insert into schedule_versions (schedule_id, version, project_id, key, tags, target_type, rule, timing, plan, payload,
                                 created_by, request_hash)
  select id, 1, $1, key, '{}', $7, $8::json, $9, $10,
         json_build_object('n', substr(key, length($2) + 1)::int,
                           'at', round(date_part('epoch', next_run_at) * 1000)::bigint),
         'bench', key
  from made`;

export async function seedSchedules(pool: Pool, { prefix, count, fromAt, untilAt }: Seed): Promise<void> {
  const { rule, timing, plan } = draft({ id: prefix, rule: RULE }, fromAt);
  const stepMs = (untilAt - fromAt) / count;
  for (let from = 0; from < count; from += AT_ONCE) {
    const until = Math.min(from + AT_ONCE, count) - 1;
    await pool.query(SEED, [
      PROJECT_ID,
      prefix,
      fromAt,
      stepMs,
      from,
      until,
      plan.target.type,
      JSON.stringify(rule),
      JSON.stringify(timing),
      JSON.stringify(plan),
    ]);
  }
}
