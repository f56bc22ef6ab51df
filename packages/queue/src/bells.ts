import type { JobsOptions, Queue } from 'bullmq';
import type { PostgresClock } from './clock.js';
import type { RedisClient } from './connection.js';
import { BELL_JOB, type Bell, QUEUES } from './names.js';
import { openQueue } from './open-queue.js';
import { SCORE_PER_MS } from './punctual.js';
import type { Ringer } from './ringer.js';

/**
 * The length of a slot. Everything due in one slot of time shares a bell: a delayed job in Redis that makes a worker
 * claim what is due. The bell rings at the end of the slot, so half a slot late on average. At 500 runs a second, slots
 * of 5 ms gave a lateness of 7 ms (p50) and 29 ms (p99); slots of 10 ms gave 9 and 46 ms.
 */
export const SLOT_MS = 5;

/** A bell rings at the end of its slot, so that everything in the slot is due by then. */
export function slotEnd(at: number): number {
  return Math.ceil(at / SLOT_MS) * SLOT_MS;
}

/**
 * A bell that rings at least this far in the future has the same id in every process, so that Redis holds it only once.
 * A bell that rings sooner gets an id of its own, because BullMQ ignores a new job whose id it still holds, even if the
 * old job is active and has already made its claim.
 */
const SHARED_FROM_MS = 1_000;
/**
 * If the slot of a due time ends within this time, a new bell rings at once. The shared bell of the slot may have rung
 * already, because the estimate of Postgres's clock is not exact.
 */
const CLOCK_MARGIN_MS = 2;
const MAX_BULK_ADD = 500;
const REMOVE_WHEN_RUNG: JobsOptions = { removeOnComplete: true, removeOnFail: true };

export interface BellsOptions {
  redis: RedisClient;
  prefix: string;
  clock: PostgresClock;
  /** A name that is unique to this process. */
  process: string;
  horizonMs: number;
  onArmed: (count: number) => void;
}

/**
 * Adds bells to Redis. A bell is a delayed BullMQ job for one slot of time, which makes a worker claim what is due by
 * then.
 */
export class Bells implements Ringer {
  readonly queue: Queue<Bell>;
  readonly #options: BellsOptions;
  /** The ends of the slots for which this process has added a bell. */
  readonly #armed = new Set<number>();
  #number = 0;
  #lastNowAt = 0;
  #ringingSoon: Promise<void> | null = null;

  constructor(options: BellsOptions) {
    this.#options = options;
    this.queue = openQueue<Bell>(QUEUES.bells, options);
  }

  /**
   * Adds the bells for these due times. A due time more than `horizonMs` ahead gets no bell yet: the sweep adds the
   * bell when the due time has come closer.
   */
  arm(dueAts: Iterable<number>): Promise<void> {
    return this.#arm(dueAts, SHARED_FROM_MS);
  }

  /**
   * Adds bells for slots for which Redis holds none, even if this process has added them before. If a worker died while
   * it processed the earlier bell, that bell is still an active job with the shared id, and BullMQ ignores a new job
   * with the same id. So each new bell gets an id of its own.
   */
  async rearm(ringAts: readonly number[]): Promise<void> {
    for (const ringAt of ringAts) this.#armed.delete(ringAt);
    await this.#arm(ringAts, Number.POSITIVE_INFINITY);
  }

  async #arm(dueAts: Iterable<number>, sharedFromMs: number): Promise<void> {
    const nowAt = this.#options.clock.now();
    this.#forgetBefore(nowAt);
    const ringAts: number[] = [];
    let isDueNow = false;
    for (const dueAt of dueAts) {
      const ringAt = slotEnd(dueAt);
      if (ringAt - nowAt < CLOCK_MARGIN_MS) isDueNow = true;
      else if (ringAt - nowAt <= this.#options.horizonMs && !this.#armed.has(ringAt)) {
        this.#armed.add(ringAt);
        ringAts.push(ringAt);
      }
    }
    try {
      await Promise.all([
        isDueNow ? this.ringNow() : null,
        this.#add(ringAts.map((ringAt) => this.#bell(ringAt, nowAt, sharedFromMs))),
      ]);
    } catch (error) {
      for (const ringAt of ringAts) this.#armed.delete(ringAt);
      throw error;
    }
  }

  /** Reads the ring times of all bells in Redis that ring before the end of the horizon. */
  async readArmed(nowAt: number, horizonMs: number): Promise<Set<number>> {
    const untilScore = (nowAt + horizonMs + SLOT_MS) * SCORE_PER_MS;
    const ids = await this.#options.redis.zrange(
      this.queue.toKey('delayed'),
      '-inf',
      String(untilScore),
      'BYSCORE',
    );
    // The id of a bell is `bell-<ringAt>` or `bell-<ringAt>-<process>-<n>`.
    return new Set(ids.map((id) => Number(id.split('-')[1])));
  }

  countArmed(): Promise<number> {
    return this.queue.getDelayedCount();
  }

  /**
   * Adds a bell that rings at once. A process adds at most one such bell every 5 ms: a call that comes sooner waits,
   * and the calls that come meanwhile share its bell.
   */
  async ringNow(): Promise<void> {
    if (this.#ringingSoon) return this.#ringingSoon;
    const nowAt = this.#options.clock.now();
    const waitMs = this.#lastNowAt + SLOT_MS - nowAt;
    if (waitMs <= 0 || waitMs > SLOT_MS) return this.#ring(nowAt);
    this.#ringingSoon = new Promise((resolve, reject) => {
      setTimeout(() => {
        this.#ringingSoon = null;
        this.#ring(this.#options.clock.now()).then(resolve, reject);
      }, waitMs);
    });
    return this.#ringingSoon;
  }

  async close(): Promise<void> {
    await this.#ringingSoon?.catch(() => {});
    await this.queue.close();
  }

  #ring(nowAt: number): Promise<void> {
    this.#lastNowAt = nowAt;
    return this.#add([
      {
        name: BELL_JOB,
        data: { ringAt: Math.ceil(nowAt) },
        opts: { ...REMOVE_WHEN_RUNG, jobId: this.#ownId(nowAt) },
      },
    ]);
  }

  #bell(ringAt: number, nowAt: number, sharedFromMs: number) {
    const isShared = ringAt - nowAt >= sharedFromMs;
    const jobId = isShared ? `bell-${ringAt}` : this.#ownId(ringAt);
    // BullMQ adds `delay` to `timestamp`. Both are by Postgres's clock, so an error of this machine's clock does not
    // move the ring time.
    const timestamp = Math.floor(nowAt);
    return {
      name: BELL_JOB,
      data: { ringAt },
      opts: { ...REMOVE_WHEN_RUNG, jobId, delay: ringAt - timestamp, timestamp },
    };
  }

  #ownId(ringAt: number): string {
    return `bell-${Math.round(ringAt)}-${this.#options.process}-${this.#number++}`;
  }

  async #add(bells: Parameters<Queue<Bell>['addBulk']>[0]): Promise<void> {
    for (let from = 0; from < bells.length; from += MAX_BULK_ADD) {
      await this.queue.addBulk(bells.slice(from, from + MAX_BULK_ADD));
    }
    if (bells.length > 0) this.#options.onArmed(bells.length);
  }

  #forgetBefore(nowAt: number): void {
    for (const ringAt of this.#armed) {
      // A set iterates in insertion order, which is nearly the order of time. The few past slots that come after a
      // future one are removed by the full pass below.
      if (ringAt >= nowAt) break;
      this.#armed.delete(ringAt);
    }
    if (this.#armed.size > MAX_ARMED_SLOTS) {
      for (const ringAt of this.#armed) if (ringAt < nowAt) this.#armed.delete(ringAt);
    }
  }
}

const MAX_ARMED_SLOTS = 50_000;
