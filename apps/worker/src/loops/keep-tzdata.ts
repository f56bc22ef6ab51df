import { stepTzdata } from '@carillon/db';
import type { Pool } from 'pg';
import type { WorkerContext } from '../context.js';

/** The version of the time zone data of this process, such as 2026a. */
export const TZDATA_VERSION = process.versions.tz ?? 'unknown';

/** For each worker in this process, by its pool: the versions that its last warning named. */
const warnedOf = new WeakMap<Pool, string>();

/**
 * Warns while workers have different versions of the time zone data. Once all workers have the same version, each call
 * recomputes a part of the agenda (the table of next occurrences), until no row is left that was computed with another
 * version.
 */
export async function keepTzdata({ pool, bells, log }: WorkerContext): Promise<void> {
  const step = await stepTzdata(pool, { version: TZDATA_VERSION, now: null });
  if (step.kind === 'differ') {
    const versions = step.versions.join(', ');
    if (versions !== warnedOf.get(pool))
      log.warn(
        { versions: step.versions },
        'Workers have different time zone data: update them all, so that the agenda can be recomputed',
      );
    warnedOf.set(pool, versions);
    return;
  }
  warnedOf.delete(pool);
  if (step.kind === 'same') return;
  const { from, retimed, isDone, dueAts } = step;
  log.info({ from, to: TZDATA_VERSION, retimed, isDone }, 'Agenda recomputed with new time zone data');
  await bells.arm(dueAts).catch(() => {}); // If Redis is away, the sweep sets the wake-ups.
}
