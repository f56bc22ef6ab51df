import {
  bringWatchesForward,
  composeMessages,
  judgeWatches,
  type PostgresWatch,
  readNextWatch,
} from '@carillon/db';
import type { PostgresClock } from '@carillon/queue';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.js';

export interface AlertParts {
  pool: Pool;
  clock: PostgresClock;
  metrics: Metrics;
  log: Logger;
  postgres: PostgresWatch;
  /** Starts sending the messages that are due, without waiting until they are sent. */
  sendMessages: () => void;
  /**
   * Sets a wake-up for this time, at which a worker judges schedules by their objectives. If the wake-up is lost, the
   * next sweep judges the schedules.
   */
  wakeAt: (at: number) => Promise<void>;
  /** How long the first alert of a message waits for further alerts to include in the message. */
  groupingMs: number;
  /**
   * The interval of the sweep. A wake-up is requested only for a deadline within this interval; later deadlines are
   * left to a later sweep.
   */
  sweepIntervalMs: number;
}

/** Maximum number of schedules that one transaction judges. */
const WATCHES_PER_TRANSACTION = 100;

/**
 * Judges schedules by their objectives (`slo`) when the deadline of an objective has passed, and composes messages
 * about breached objectives and about recoveries. If the next deadline is at most one sweep interval away, a wake-up is
 * set for it. The sweep judges schedules in all other cases, also if a wake-up is lost.
 */
export class Alerts {
  #failed = new Set<number>();
  #ended = new Set<number>();
  #bringingForward: Promise<void> | null = null;
  #judging: Promise<void> | null = null;
  #isRequested = false;
  #isStopped = false;

  constructor(private readonly parts: AlertParts) {}

  /** Records that a run of a schedule with objectives has ended, so that the schedule is judged soon. */
  noteEnd(scheduleId: number, hasFailed: boolean): void {
    this.#ended.add(scheduleId);
    if (hasFailed) this.#failed.add(scheduleId);
    this.#bringingForward ??= this.#bringForward().finally(() => {
      this.#bringingForward = null;
    });
  }

  /**
   * Judges the schedules for which a deadline of an objective has passed, and composes the alert messages. Never
   * rejects: after an error, the next sweep tries again.
   */
  judge(): Promise<void> {
    this.#isRequested = true;
    this.#judging ??= this.#judgeWhileRequested().finally(() => {
      this.#judging = null;
    });
    return this.#judging;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#bringingForward;
    await this.#judging;
  }

  async #bringForward(): Promise<void> {
    while (this.#ended.size > 0) {
      // Wait for the end of this turn of the event loop, so that all runs that end in it share one statement.
      await new Promise(setImmediate);
      const [failed, ended] = [this.#failed, this.#ended];
      this.#failed = new Set();
      this.#ended = new Set();
      try {
        if ((await bringWatchesForward(this.parts.pool, { failed, ended, now: null })) > 0) this.judge();
      } catch (error) {
        this.parts.postgres.report(error, 'Ended runs could not be judged now: a later sweep judges them');
      }
    }
  }

  async #judgeWhileRequested(): Promise<void> {
    while (this.#isRequested && !this.#isStopped) {
      this.#isRequested = false;
      try {
        await this.#judgeOnce();
      } catch (error) {
        this.parts.postgres.report(error, 'Objectives could not be judged: the next sweep tries again');
      }
    }
  }

  async #judgeOnce(): Promise<void> {
    const { pool, clock, metrics, log, groupingMs, sweepIntervalMs } = this.parts;
    let judged = 0;
    do {
      const result = await judgeWatches(pool, { limit: WATCHES_PER_TRANSACTION, now: null });
      judged = result.judged;
      if (result.opened > 0) {
        metrics.count('carillon_alerts_total', result.opened, 'event="opened"');
        log.warn({ alerts: result.opened }, 'Objectives breached');
      }
      if (result.resolved > 0) metrics.count('carillon_alerts_total', result.resolved, 'event="resolved"');
    } while (judged === WATCHES_PER_TRANSACTION && !this.#isStopped);
    await composeMessages(pool, { groupingMs, now: null });
    this.parts.sendMessages();
    const nextAt = await readNextWatch(pool);
    const isSoon = nextAt !== null && nextAt - clock.now() <= sweepIntervalMs;
    if (isSoon) await this.parts.wakeAt(nextAt).catch(() => {}); // If Redis is away, the next sweep judges the schedule.
  }
}
