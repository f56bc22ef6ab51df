import { statement } from '../statement.js';

/** Maximum number of runs that one statement deletes: a schedule that fires every second has millions of runs. */
export const RUNS_PER_STATEMENT = 10_000;

const deleteBatchOf = (table: 'runs' | 'attempts') =>
  statement<{ ids: string }, object>(
    `remove-${table}`,
    `with batch as (
       select schedule_id, occurrence_at, origin, month from carillon.${table} where schedule_id = any(:ids::bigint[])
       limit ${RUNS_PER_STATEMENT}
     )
     delete from carillon.${table} t using batch
     where t.schedule_id = batch.schedule_id and t.occurrence_at = batch.occurrence_at and t.origin = batch.origin
       and t.month = batch.month
     returning 1`,
  );

/** `removeRuns` and `removeAttempts` each delete one batch of rows of these schedules. */
export const removeRuns = deleteBatchOf('runs');
export const removeAttempts = deleteBatchOf('attempts');

/** The tables with rows about a schedule, except `runs`, `attempts` and the audit log. */
const TABLES = [
  'agenda',
  'stopped_schedules',
  'gaps',
  'deferrals',
  'schedule_versions',
  'webhook_secrets',
  'slo_watches',
  'alerts',
  'pings',
  'ping_tokens',
] as const;

/** Deletes schedules that have no run left, with everything about them except the audit log. */
export const removeSchedules = statement<{ ids: string }, object>(
  'remove-schedules',
  `with ${TABLES.map((table) => `${table} as (delete from carillon.${table} where schedule_id = any(:ids::bigint[]))`).join(',\n   ')}
   delete from carillon.schedules where id = any(:ids::bigint[]) returning 1`,
);
