import type { RunIdentity } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { instant, monthOf } from '../instants.js';
import { batch, statement, type Values } from '../statement.js';

/** A run that does not start now: a queued run, or a skipped run with the reason. */
export interface UnstartedRun extends RunIdentity {
  projectId: number;
  version: number;
  handler: string | null;
  dueAt: number;
  status: 'queued' | 'skipped';
  /** When a queued run may start: Infinity until its turn comes. Null for a skipped run. */
  startsAt: number | null;
  reasonCode: string | null;
  reason: string | null;
}

const unstarted = batch<Omit<UnstartedRun, 'startsAt'> & { startsAt: number | null; isHeld: boolean }>(
  'unstarted',
  {
    scheduleId: 'bigint',
    occurrenceAt: 'instant',
    origin: 'carillon.run_origin',
    projectId: 'bigint',
    version: 'int',
    handler: 'text',
    dueAt: 'instant',
    status: 'carillon.run_status',
    startsAt: 'instant',
    isHeld: 'boolean',
    reasonCode: 'text',
    reason: 'text',
  },
);

/**
 * The transitions `enqueue` and `skip` of docs/state-machine.md. The caller has locked the schedule, so no other
 * transaction can insert the run between the `not exists` check and the insert.
 */
const INSERT = `insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, handler, status, due_at,
                              recorded_at, happened_at, next_attempt_at, finished_at, reason_code, reason)
   select unstarted.schedule_id, unstarted.occurrence_at, unstarted.origin, ${monthOf(instant(':now'))}, unstarted.project_id,
          unstarted.version, unstarted.handler, unstarted.status, unstarted.due_at, ${instant(':now')}, ${instant(':now')},
          case when unstarted.is_held then 'infinity' else unstarted.starts_at end,
          case when unstarted.status = 'skipped' then ${instant(':now')} end, unstarted.reason_code, unstarted.reason
   from ${unstarted.source}
   where not exists (
     select from carillon.runs r where r.schedule_id = unstarted.schedule_id
       and r.occurrence_at = unstarted.occurrence_at and r.origin = unstarted.origin
   )
   on conflict do nothing`;
const insertUnstarted = statement<Values>('insert-unstarted-runs', INSERT);
const insertAndReturn = statement<Values, RunIdentity>(
  'insert-unstarted-runs-returning',
  `${INSERT} returning schedule_id as "scheduleId", occurrence_at as "occurrenceAt", origin`,
);

/** Inserts runs that do not start now. A run that exists already stays as it is. */
export async function insertUnstartedRuns(
  tx: Transaction,
  runs: readonly UnstartedRun[],
  nowAt: number,
): Promise<void> {
  if (runs.length > 0) await insertUnstarted(tx, parametersOf(runs, nowAt));
}

/**
 * Inserts runs that do not start now, and returns the runs that it has inserted. A run that exists already stays as it
 * is.
 */
export async function insertMissingRuns(
  tx: Transaction,
  runs: readonly UnstartedRun[],
  nowAt: number,
): Promise<RunIdentity[]> {
  return runs.length > 0 ? insertAndReturn(tx, parametersOf(runs, nowAt)) : [];
}

function parametersOf(runs: readonly UnstartedRun[], now: number): Values {
  const rows = runs.map((run) => ({
    ...run,
    isHeld: run.startsAt === Number.POSITIVE_INFINITY,
    startsAt: run.startsAt === Number.POSITIVE_INFINITY ? null : run.startsAt,
  }));
  return { now, ...unstarted.of(rows) };
}
