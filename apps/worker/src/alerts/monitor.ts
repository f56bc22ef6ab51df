import { claimMonitorPing, readMissed, readMissingHandlers } from '@carillon/db';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Poster } from '../delivery/targets/post.js';

export interface MonitorParts {
  pool: Pool;
  poster: Poster;
  log: Logger;
  /** The URL of an outside monitor; null if there is none. */
  url: string | null;
  intervalMs: number;
  sweepIntervalMs: number;
}

const TIMEOUT_MS = 10_000;
/** Carillon's own requests belong to no project. */
const NO_PROJECT = 0;

/**
 * Sends a request (a ping) to an outside monitor, which raises the alarm when no more pings come. Called after each
 * sweep. Only one worker sends a ping per interval, and none does while a run is overdue by more than two sweep
 * intervals.
 */
export function pingMonitor({ pool, poster, log, url, intervalMs, sweepIntervalMs }: MonitorParts) {
  return async (): Promise<void> => {
    if (url === null) return;
    try {
      // No worker can start a run whose handler no live worker has, so such a run does not count as overdue.
      const missingHandlers = await readMissingHandlers(pool);
      const { count } = await readMissed(pool, {
        olderThanMs: 2 * sweepIntervalMs,
        missingHandlers,
        now: null,
      });
      if (count > 0) {
        log.warn({ overdue: count }, 'The outside monitor is not pinged, because runs are overdue');
        return;
      }
      if (!(await claimMonitorPing(pool, { intervalMs, now: null }))) return;
      const headers = { 'content-type': 'text/plain' };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const result = await poster.post({ projectId: NO_PROJECT, url, headers, body: '', signal });
      const isTaken = result.kind === 'answered' && result.answer.status < 300;
      if (!isTaken)
        log.warn({ answer: result.kind === 'answered' ? result.answer.status : result.kind }, REFUSED);
    } catch (error) {
      log.warn({ err: error }, REFUSED);
    }
  };
}

const REFUSED = 'The outside monitor (HEARTBEAT_URL) did not accept a ping';
