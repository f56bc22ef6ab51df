import { bringWatchesForward, composeMessages, judgeWatches, readNextWatch } from '@carillon/db';
import type { PostgresClock } from '@carillon/queue';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.js';

export interface AlertParts {
  pool: Pool;
  clock: PostgresClock;
  metrics: Metrics;
  log: Logger;
  /** Starts sending the messages that are due, without waiting until they are sent. */
  sendMessages: () => void;
  /** Arms a wake-up, so that a worker judges schedules at this time. If it is lost, the next sweep judges them. */
  wakeAt: (at: number) => Promise<void>;
  /** How long the first alert of a message waits for further alerts to include in the message. */
  groupingMs: number;
  /** A schedule that must be judged later than this from now is left to a later sweep. */
  sweepIntervalMs: number;
}

/** Maximum number of schedules that one transaction judges. */
const BATCH_SIZE = 100;

/**
 * Judges schedules by their objectives when a deadline has passed, and composes messages about breaches and recoveries.
 * A wake-up is armed in Redis for a deadline within the next sweep interval. The sweep finds the later deadlines, and
 * all deadlines while Redis is away.
 */
export class Alerts {
  #failed = new Set<number>();
  #ended = new Set<number>();
  #bringing: Promise<void> | null = null;
  #looking: Promise<void> | null = null;
  #isOwed = false;
  #isStopped = false;

  constructor(private readonly parts: AlertParts) {}

  /** Records that a run of a schedule with objectives has ended, so that the schedule is judged soon. */
  noteEnd(scheduleId: number, hasFailed: boolean): void {
    this.#ended.add(scheduleId);
    if (hasFailed) this.#failed.add(scheduleId);
    this.#bringing ??= this.#bringForward().finally(() => {
      this.#bringing = null;
    });
  }

  /**
   * Judges the schedules whose deadline has passed, and composes messages. Never rejects: after an error, the next
   * sweep tries again.
   */
  look(): Promise<void> {
    this.#isOwed = true;
    this.#looking ??= this.#lookWhileOwed().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#bringing;
    await this.#looking;
  }

  async #bringForward(): Promise<void> {
    while (this.#ended.size > 0) {
      // Runs that end in this turn of the event loop share one statement.
      await new Promise(setImmediate);
      const [failed, ended] = [this.#failed, this.#ended];
      this.#failed = new Set();
      this.#ended = new Set();
      try {
        if ((await bringWatchesForward(this.parts.pool, { failed, ended, now: null })) > 0) this.look();
      } catch (error) {
        this.parts.log.warn({ err: error }, 'Ended runs could not be judged now: a later sweep judges them');
      }
    }
  }

  async #lookWhileOwed(): Promise<void> {
    while (this.#isOwed && !this.#isStopped) {
      this.#isOwed = false;
      try {
        await this.#lookOnce();
      } catch (error) {
        this.parts.log.warn({ err: error }, 'Objectives could not be judged: the next sweep tries again');
      }
    }
  }

  async #lookOnce(): Promise<void> {
    const { pool, clock, metrics, log, groupingMs, sweepIntervalMs } = this.parts;
    let judged = 0;
    do {
      const result = await judgeWatches(pool, { limit: BATCH_SIZE, now: null });
      judged = result.judged;
      if (result.opened > 0) {
        metrics.count('carillon_alerts_total', result.opened, 'event="opened"');
        log.warn({ alerts: result.opened }, 'Objectives breached');
      }
      if (result.resolved > 0) metrics.count('carillon_alerts_total', result.resolved, 'event="resolved"');
    } while (judged === BATCH_SIZE && !this.#isStopped);
    await composeMessages(pool, { groupingMs, now: null });
    this.parts.sendMessages();
    const nextAt = await readNextWatch(pool);
    const isSoon = nextAt !== null && nextAt - clock.now() <= sweepIntervalMs;
    if (isSoon) await this.parts.wakeAt(nextAt).catch(() => {}); // Redis is away: the next sweep judges the schedule.
  }
}
