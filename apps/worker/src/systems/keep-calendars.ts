import { type DueRefresh, recordRefresh, retimeStale, takeDueRefreshes } from '@carillon/db';
import { MAX_CALENDAR_DATES, readIcsDates } from '@carillon/shared';
import type { Config } from '../config.js';
import type { WorkerContext } from '../context.js';
import { fetchCalendar } from './fetch-calendar.js';

/** Maximum number of .ics files that one tick fetches. The next tick (a minute later) fetches the others. */
const FILES_PER_TICK = 20;

/**
 * Fetches the .ics files that are due, and recomputes the next occurrences of all schedules whose calendar has changed.
 * The API wakes a worker for this. Each sweep also recomputes some schedules, in case the wake-up is lost.
 */
export async function keepCalendars(
  context: WorkerContext,
  config: Pick<Config, 'ALLOW_PRIVATE_TARGETS' | 'DNS_SERVERS'>,
  signal: AbortSignal,
): Promise<void> {
  for (const due of await takeDueRefreshes(context.pool, { limit: FILES_PER_TICK, now: null })) {
    if (signal.aborted) return;
    await refresh(context, config, due);
  }
  while (!signal.aborted && !(await retimeStep(context)));
}

async function refresh(
  { pool, clock, log }: WorkerContext,
  config: Pick<Config, 'ALLOW_PRIVATE_TARGETS' | 'DNS_SERVERS'>,
  due: DueRefresh,
): Promise<void> {
  const options = { allowPrivate: config.ALLOW_PRIVATE_TARGETS, dnsServers: config.DNS_SERVERS };
  const fetched = await fetchCalendar(due.url, options);
  const read = fetched.ok
    ? readIcsDates(fetched.text, { nowAt: Math.floor(clock.now()), maxDates: MAX_CALENDAR_DATES })
    : fetched;
  const { projectId, name: calendar } = due;
  if (read.ok) {
    const hasChanged = await recordRefresh(pool, due, { dates: read.dates });
    log.info(
      { projectId, calendar, dates: read.dates.length, hasChanged },
      'Calendar refreshed from its file',
    );
  } else {
    await recordRefresh(pool, due, { error: read.problem });
    log.warn(
      { projectId, calendar, reason: read.problem },
      'Calendar could not be refreshed: it keeps its dates',
    );
  }
}

/**
 * Recomputes the next occurrences of some schedules whose calendar has changed. Resolves to true if none is left that
 * can be recomputed now.
 */
export async function retimeStep({ pool, bells, log }: WorkerContext): Promise<boolean> {
  const { retimed, dueAts, errors, isDone } = await retimeStale(pool);
  if (errors.length > 0)
    log.error(
      { err: errors[0], schedules: errors.length },
      'Schedules could not be re-timed by their calendars',
    );
  if (retimed > 0) log.info({ retimed }, 'Schedules re-timed after their calendar changed');
  await bells.arm(dueAts).catch(() => {}); // If Redis is away, the sweep sets the wake-ups.
  return isDone || retimed === 0;
}
