import { storePlan, storeTiming } from '@carillon/shared';
import type { Pool } from 'pg';
import { draft, PROJECT_ID } from './drafts.js';

export interface Seed {
  /** The prefix of the schedules' ids, unique within the round. */
  prefix: string;
  count: number;
  /** The due times are spread evenly between these two instants. */
  fromAt: number;
  untilAt: number;
}

/**
 * The seed inserts the first occurrence of each schedule. After that, this rule fires only on 1 January, so a schedule
 * fires at most once in a round.
 */
const RULE = { cron: '0 0 1 1 *' };
const SCHEDULES_PER_STATEMENT = 100_000;

/**
 * Inserts the same rows as the API would, but hundreds of thousands at a time. The payload is a `Job`, so that the
 * handler can tell the runs apart.
 */
const SEED = `
  with made as (
    insert into carillon.schedules (project_id, key, target_type, rule, timing, plan, payload, defined_by, request_hash)
    select $1, $2 || n, $7, $8::json, $9, $10,
           json_build_object('n', n, 'at', $3::float8 + floor(n * $4::float8)), 'bench', $2 || n
    from generate_series($5::int, $6::int) as n
    returning id, (payload ->> 'at')::float8 as due_at
  )
  insert into carillon.agenda (schedule_id, project_id, occurrence_at, due_at, handler)
  select id, $1, to_timestamp(due_at / 1000), to_timestamp(due_at / 1000), 'bench' from made`;

export async function seedSchedules(pool: Pool, { prefix, count, fromAt, untilAt }: Seed): Promise<void> {
  const { rule, timing, plan } = draft({ id: prefix, rule: RULE }, fromAt);
  const stepMs = (untilAt - fromAt) / count;
  for (let from = 0; from < count; from += SCHEDULES_PER_STATEMENT) {
    const until = Math.min(from + SCHEDULES_PER_STATEMENT, count) - 1;
    await pool.query(SEED, [
      PROJECT_ID,
      prefix,
      fromAt,
      stepMs,
      from,
      until,
      plan.target.type,
      JSON.stringify(rule),
      storeTiming(timing),
      storePlan(plan),
    ]);
  }
}
