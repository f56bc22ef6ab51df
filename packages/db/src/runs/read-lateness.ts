import type { RunIdentity } from '@carillon/shared';
import type { Database } from '../database.js';
import { batch, statement, type Values } from '../statement.js';
import { isSameRun, RUN_KEY_COLUMNS, type RunKey } from './run-transitions.js';

/** One attempt of a run. The epoch is the number of the lease under which it was claimed. */
interface Attempt extends RunKey {
  epoch: number;
}

const attempts = batch<Attempt>('attempt', { ...RUN_KEY_COLUMNS, epoch: 'bigint' });

const select = statement<Values, RunIdentity & { latenessMs: number }>(
  'read-lateness-of-ended-runs',
  `select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin, r.lateness_ms as "latenessMs"
   from carillon.runs r, ${attempts.source}
   where ${isSameRun('r', 'attempt')} and r.epoch = attempt.epoch and r.lateness_ms is not null and r.outcome <> 'unknown'`,
);

/**
 * Reads the lateness of runs that have ended while these attempts were in flight, because their job reported an end or
 * the run was cancelled. Leaves out runs that a sweep has rescued, because the sweep counts their lateness itself.
 */
export async function readLatenessOfEnded<Run extends Attempt>(
  db: Database,
  runs: readonly Run[],
): Promise<{ run: Run; latenessMs: number }[]> {
  const rows = await select(db, attempts.of(runs));
  return rows.flatMap(({ scheduleId, occurrenceAt, origin, latenessMs }) => {
    const run = runs.find(
      (run) => run.scheduleId === scheduleId && run.occurrenceAt === occurrenceAt && run.origin === origin,
    );
    return run ? [{ run, latenessMs }] : [];
  });
}
