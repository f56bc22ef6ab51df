import { type HistoryPosition, readAuditAfter, readRunsSince } from '@carillon/db';
import type { Pool } from 'pg';
import { type CarillonEvent, eventOfAudit, eventsOfRun } from './event.js';
import type { StreamPosition } from './position.js';

/** Rows per page. Other requests run between two pages. */
const ROWS_PER_PAGE = 200;
/**
 * Maximum number of pages of missed events that a listener gets per source (audit log, runs). A listener that has
 * missed more gets an overflow event, and must read /v1/runs and /v1/audit instead.
 */
const MAX_PAGES_PER_SOURCE = 25;

export interface CatchUpPage {
  events: CarillonEvent[];
  position: StreamPosition;
}

/**
 * Yields the events since a position page by page: first the changes of schedules, then the changes of runs, each
 * oldest first. Ends with an overflow event if there are too many.
 */
export async function* catchUp(
  pool: Pool,
  { projectId, since }: { projectId: number; since: StreamPosition },
): AsyncGenerator<CatchUpPage> {
  let position = since;
  let isBehind = false;
  for (let pages = 1; ; pages++) {
    const page = { projectId, afterId: position.auditId, limit: ROWS_PER_PAGE };
    const entries = await readAuditAfter(pool, page);
    position = { ...position, auditId: entries.at(-1)?.id ?? position.auditId };
    const changes = entries.filter(({ action }) => action.startsWith('schedule.'));
    yield { events: changes.map(eventOfAudit), position };
    if (entries.length < ROWS_PER_PAGE) break;
    isBehind ||= pages === MAX_PAGES_PER_SOURCE;
    if (isBehind) break;
  }
  let after: HistoryPosition = { happenedAt: since.at, run: null };
  for (let pages = 1; ; pages++) {
    const runs = await readRunsSince(pool, { projectId, after, limit: ROWS_PER_PAGE });
    const last = runs.at(-1);
    if (last) {
      after = { happenedAt: last.happenedAt, run: last };
      // More runs may have ended at the same instant. The position stays before that instant, so that a listener that
      // resumes gets some events twice rather than missing some.
      position = { ...position, at: Math.max(position.at, last.happenedAt - 1) };
    }
    yield { events: runs.flatMap((run) => eventsOfRun(run, undefined)), position };
    if (runs.length < ROWS_PER_PAGE) break;
    isBehind ||= pages === MAX_PAGES_PER_SOURCE;
    if (pages === MAX_PAGES_PER_SOURCE) break;
  }
  if (isBehind) yield { events: [overflowAt(position)], position };
}

/** The event that tells a listener that it has missed events. */
export const overflowAt = ({ at }: StreamPosition): CarillonEvent => ({
  type: 'overflow',
  data: {
    id: `overflow.${at}`,
    detail: 'too many events were missed to send them all; read /v1/runs and /v1/audit',
  },
});
