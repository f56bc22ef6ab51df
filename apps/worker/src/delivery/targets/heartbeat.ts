import { hasStartPing, type PingWindow, readHeartbeatTiming, takePing } from '@carillon/db';
import type { PostgresClock } from '@carillon/queue';
import {
  AWAITING_PING,
  durationInWords,
  type ErrorCode,
  instantInWords,
  type Outcome,
  parseDuration,
} from '@carillon/shared';
import type { Pool } from 'pg';
import type { TargetDeliver } from '../../pipeline/pipeline.js';

/**
 * A ping (the request by which a job reports success or failure) may come this long before its occurrence, because the
 * clock of the job may be ahead of Carillon's.
 */
const EARLY_MS = 60_000;
/** Maximum number of characters of a ping's body that are repeated in the error of the run. */
const MAX_REASON_LENGTH = 500;

/**
 * Waits for the ping (a request) by which a job that runs elsewhere reports success or failure. The run is deferred
 * until the ping comes or the target's `grace` ends, so that it does not count as one of the worker's concurrent runs.
 */
export function awaitPing({ pool, clock }: { pool: Pool; clock: PostgresClock }): TargetDeliver {
  return async ({ run }) => {
    const { target } = run.plan;
    if (target.type !== 'heartbeat') throw new Error('not a heartbeat');
    const graceMs = parseDuration(target.grace) ?? 0;
    const startGraceMs = target.startGrace === null ? null : (parseDuration(target.startGrace) ?? 0);
    const timing = await readHeartbeatTiming(pool, run);
    // If the schedule has an interval rule, the job does not know the instants of the occurrences, so any ping since
    // the previous occurrence counts.
    const earlyMs = timing?.rule.kind === 'every' ? timing.rule.everyMs : Math.min(EARLY_MS, graceMs);
    const window = { ...run, fromAt: run.dueAt - earlyMs, toAt: run.dueAt + graceMs };
    const ping = await takePing(pool, window);
    if (ping?.kind === 'success')
      return { kind: 'succeeded', answer: { httpStatus: null, response: ping.body, externalId: null } };
    if (ping) return reportedFailure(ping.body);
    return judgeSilence({ pool, clock, window, startGraceMs });
  };
}

async function judgeSilence({
  pool,
  clock,
  window,
  startGraceMs,
}: {
  pool: Pool;
  clock: PostgresClock;
  window: PingWindow & { dueAt: number };
  startGraceMs: number | null;
}): Promise<Outcome> {
  const startDeadlineAt = startGraceMs === null ? null : window.dueAt + startGraceMs;
  const nowAt = clock.now();
  if (startDeadlineAt !== null && !(await hasStartPing(pool, { ...window, toAt: startDeadlineAt }))) {
    if (nowAt >= startDeadlineAt)
      return missing('no_start_ping', `no start was reported within ${durationInWords(startGraceMs ?? 0)}`);
    return waiting(Math.min(startDeadlineAt, window.toAt), nowAt);
  }
  if (nowAt >= window.toAt)
    return missing('no_ping', `no ping came within ${durationInWords(window.toAt - window.dueAt)}`);
  return waiting(window.toAt, nowAt);
}

const missing = (errorCode: ErrorCode, error: string): Outcome => ({
  kind: 'failed',
  isTransient: false,
  errorCode,
  error,
});

const reportedFailure = (body: string | null): Outcome =>
  missing(
    'reported_failure',
    `the job reported a failure${body ? `: ${body.slice(0, MAX_REASON_LENGTH)}` : ''}`,
  );

const waiting = (untilAt: number, nowAt: number): Outcome => ({
  kind: 'deferred',
  // Wait for at least 1 ms. The clocks of worker and Postgres differ a little, and a run that is claimed again too
  // early would be deferred again.
  retryInMs: Math.max(1, Math.ceil(untilAt - nowAt)),
  reasonCode: AWAITING_PING,
  reason: `waiting for a ping until ${instantInWords(untilAt)}`,
});
