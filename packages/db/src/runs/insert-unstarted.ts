import type { RunIdentity } from '@carillon/shared';
import { instant, monthOf } from '../instants.js';
import { batch, statement, type Values } from '../statement.js';

/** A run that does not start now: a queued run, or a skipped run with the reason. */
export interface UnstartedRun extends RunIdentity {
  projectId: number;
  version: number;
  handler: string | null;
  dueAt: number;
  status: 'queued' | 'skipped';
  /** For a queued run: when it may start; Infinity until its turn comes. */
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
 * The transitions `enqueue` and `skip`. The caller holds the schedule's lock, so no other transaction can insert the
 * run between the `not exists` check and the insert.
 */
const insertUnstarted = statement<Values, RunIdentity>(
  'insert-unstarted-runs',
  `insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, handler, status, due_at,
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
   on conflict do nothing
   returning schedule_id as "scheduleId", occurrence_at as "occurrenceAt", origin`,
);

/** Inserts runs that do not start now. Returns the runs that did not exist before. */
export function insertUnstartedRuns(
  ...[tx, runs, nowAt]: [Parameters<typeof insertUnstarted>[0], readonly UnstartedRun[], number]
): Promise<RunIdentity[]> {
  if (runs.length === 0) return Promise.resolve([]);
  const rows = runs.map((run) => ({
    ...run,
    isHeld: run.startsAt === Number.POSITIVE_INFINITY,
    startsAt: run.startsAt === Number.POSITIVE_INFINITY ? null : run.startsAt,
  }));
  return insertUnstarted(tx, { now: nowAt, ...unstarted.of(rows) });
}
