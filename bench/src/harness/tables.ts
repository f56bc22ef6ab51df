import type { Pool } from 'pg';
import type { Job } from './tally.js';

// The SQL of the benchmarks that depends on the tables of Carillon is only here, in seed.ts, and in these files of
// races/: operations.ts, retention.ts and seed-history.ts.

/** True if every claimed run has been closed: the last run that is closed under a lease ends the lease. */
export async function areAllRunsClosed(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query('select from carillon.leases limit 1');
  return rowCount === 0;
}

/**
 * True if every one-shot has its final result: no run is under way or waits for another attempt, and no schedule is
 * still to start.
 */
export async function areAllOneShotsDone(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from carillon.leases union all select from carillon.runs where next_attempt_at is not null
     union all select from carillon.agenda limit 1`,
  );
  return rowCount === 0;
}

/** Checks that each occurrence ran once, at the first attempt and not early, and that its schedule is finished. */
export async function findOneShotFaults(pool: Pool, jobs: readonly Job[]): Promise<string[]> {
  const { rows } = await pool.query<Record<string, number>>(
    `select (select count(*)::int from carillon.runs) as runs,
            (select count(*)::int from carillon.runs where status = 'succeeded' and attempt = 1 and finished_at >= claimed_at) as succeeded,
            (select count(*)::int from carillon.runs r join carillon.schedules s on s.id = r.schedule_id
             where r.occurrence_at = r.due_at
               and round(date_part('epoch', r.occurrence_at) * 1000) = (s.payload->>'at')::float8) as at_their_time,
            (select count(*)::int from carillon.runs where claimed_at < due_at) as early,
            (select count(*)::int from carillon.schedules s
             where status = 'active' and not exists (select from carillon.agenda a where a.schedule_id = s.id)) as finished`,
  );
  const counts = rows[0] ?? {};
  return (['runs', 'succeeded', 'at_their_time', 'finished'] as const)
    .filter((what) => counts[what] !== jobs.length)
    .map((what) => `${what}: ${counts[what]} of ${jobs.length}`)
    .concat(counts.early ? [`${counts.early} runs were claimed early`] : []);
}

/** The lateness of each one-shot as Carillon has stored it. The job is the payload of its schedule. */
export async function readLateness(pool: Pool): Promise<{ n: number; latenessMs: number | null }[]> {
  const { rows } = await pool.query(
    `select (s.payload->>'n')::int as n, r.lateness_ms as "latenessMs"
     from carillon.runs r join carillon.schedules s on s.id = r.schedule_id`,
  );
  return rows;
}

/**
 * Checks that each schedule ran once, and that its next occurrence is the one that its rule names. The rule of schedule
 * n has the index n modulo the number of rules.
 */
export async function findRecurringFaults(
  pool: Pool,
  jobs: readonly Job[],
  nextAtOfRules: readonly (number | null)[],
): Promise<string[]> {
  const { rows } = await pool.query<{ runs: number; moved: number }>(
    `select (select count(*)::int from carillon.runs
             where occurrence_at = to_timestamp($1::float8 / 1000) and status = 'succeeded' and attempt = 1) as runs,
            (select count(*)::int from carillon.schedules s join carillon.agenda a on a.schedule_id = s.id,
                    unnest($2::float8[]) with ordinality as rule(next_at, number)
             where substr(s.key, 5)::int % cardinality($2::float8[]) = rule.number - 1 and a.runs_total = 1
               and a.due_at = to_timestamp(rule.next_at / 1000)) as moved`,
    [jobs[0]?.at ?? 0, nextAtOfRules],
  );
  const { runs, moved } = rows[0] ?? {};
  return [
    ...(runs === jobs.length ? [] : [`${runs} of ${jobs.length} runs succeeded`]),
    ...(moved === jobs.length ? [] : [`${moved} of ${jobs.length} schedules moved on`]),
  ];
}

/** Checks that each occurrence ran once and not early, and that each schedule has had its last run. */
export async function findCadenceFaults(
  pool: Pool,
  jobs: readonly Job[],
  schedules: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ runs: number; succeeded: number; finished: number }>(
    `select (select count(*)::int from carillon.runs) as runs,
            (select count(*)::int from carillon.runs where status = 'succeeded' and attempt = 1 and claimed_at >= due_at) as succeeded,
            (select count(*)::int from carillon.schedules s
             where status = 'active' and not exists (select from carillon.agenda a where a.schedule_id = s.id)) as finished`,
  );
  const { runs, succeeded, finished } = rows[0] ?? {};
  const holds = runs === jobs.length && succeeded === jobs.length && finished === schedules;
  return holds
    ? []
    : [`${runs} runs, ${succeeded} succeeded, of ${jobs.length}; ${finished} schedules finished`];
}

/**
 * Checks that each webhook was answered with 200 at its first attempt, and was not claimed early. An attempt that a
 * worker handed back unfinished is free, so it does not count.
 */
export async function findDeliveryFaults(pool: Pool, jobs: readonly Job[]): Promise<string[]> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from carillon.runs
     where status = 'succeeded' and http_status = 200 and attempt - free_attempts = 1 and claimed_at >= due_at`,
  );
  const count = rows[0]?.count ?? 0;
  return count === jobs.length ? [] : [`${count} of ${jobs.length} runs succeeded at their first attempt`];
}

/** Checks that this many runs succeeded at their first attempt, and that none was claimed early. */
export async function findRunFaults(pool: Pool, expected: number): Promise<string[]> {
  const { rows } = await pool.query<{ succeeded: number; early: number }>(
    `select (count(*) filter (where status = 'succeeded' and attempt = 1))::int as succeeded,
            (count(*) filter (where claimed_at < due_at))::int as early from carillon.runs`,
  );
  const { succeeded, early } = rows[0] ?? {};
  return [
    ...(succeeded === expected ? [] : [`${succeeded} of ${expected} runs succeeded`]),
    ...(early ? [`${early} runs were claimed early`] : []),
  ];
}

/** The number of runs that are claimed but not closed, and of schedules that are due but not claimed. */
export async function countClaims(pool: Pool): Promise<{ runs: number; due: number }> {
  const { rows } = await pool.query<{ runs: number; due: number }>(
    `select (select count(*)::int from carillon.runs where status = 'running' and attempt = 1) as runs,
            (select count(*)::int from carillon.agenda where due_at <= clock_timestamp()) as due`,
  );
  return rows[0] ?? { runs: 0, due: 0 };
}

/** The number of runs in any state. */
export async function countRuns(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from carillon.runs');
  return rows[0]?.count ?? 0;
}

/** Deletes all runs and leases, and the schedules whose key begins with this prefix. */
export async function removeWork(pool: Pool, prefix: string): Promise<void> {
  await pool.query(
    `with deleted as (delete from carillon.schedules where key like $1 || '%' returning id)
     delete from carillon.agenda where schedule_id in (select id from deleted)`,
    [prefix],
  );
  await pool.query('truncate carillon.leases, carillon.runs');
}

export const analyzeSchedules = (pool: Pool) => pool.query('analyze carillon.schedules, carillon.agenda');
export const vacuumSchedules = (pool: Pool) =>
  pool.query('vacuum analyze carillon.schedules, carillon.agenda');

/** Counts the schedules that are due in the future. */
export const COUNT_CREATED =
  'select count(*)::int as count, count(distinct key)::int as distinct from carillon.schedules s join carillon.agenda a on a.schedule_id = s.id where a.due_at > now()';
