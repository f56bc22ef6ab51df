import type { JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { PostgresClock } from './clock.js';
import { BELL_JOB, type Bell, QUEUES } from './names.js';
import { openQueue } from './open-queue.js';
import { SCORE_PER_MS } from './punctual.js';
import { SLOT_MS, slotEnd } from './slots.js';

/**
 * BullMQ ignores an id that it still holds, be it that of a bell which is ringing right now and has already looked. So
 * only bells further off than this share their id between processes; nearer ones have one of their own.
 */
const SHARED_FROM_MS = 1_000;
/** How near its time a bell may be and still be trusted not to have rung: covers what our view of the clock is off by. */
const TOO_LATE_MS = 2;
const ADD_AT_ONCE = 500;
const GONE_WHEN_RUNG: JobsOptions = { removeOnComplete: true, removeOnFail: true };

export interface BellsOptions {
  redis: Redis;
  prefix: string;
  clock: PostgresClock;
  /** Unique to this process. */
  process: string;
  horizonMs: number;
  onArmed: (count: number) => void;
}

/** Arms bells: makes sure that somebody looks when something is due. */
export class Bells {
  readonly queue: Queue<Bell>;
  readonly #options: BellsOptions;
  /** Slots that this process knows to be armed, by their end. */
  readonly #armed = new Set<number>();
  #number = 0;
  #lastNowAt = 0;
  #ringingSoon: Promise<void> | null = null;

  constructor(options: BellsOptions) {
    this.#options = options;
    this.queue = openQueue<Bell>(QUEUES.bells, options);
  }

  /** Arms the slots of these instants, as far as they lie within the horizon; what lies beyond is the sweep's. */
  arm(dueAts: Iterable<number>): Promise<void> {
    return this.#arm(dueAts, SHARED_FROM_MS);
  }

  /**
   * Arms slots for which Redis holds no bell, whatever this process believes. Their shared id may still be taken, by a
   * bell that somebody took too early and then died with: these have an id of their own.
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
      if (ringAt - nowAt < TOO_LATE_MS) isDueNow = true;
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

  /** The slots for which Redis holds a bell, by the time that they ring at, from now to the end of the horizon. */
  async readArmed(nowAt: number, horizonMs: number): Promise<Set<number>> {
    const untilScore = (nowAt + horizonMs + SLOT_MS) * SCORE_PER_MS;
    const ids = await this.#options.redis.zrange(
      this.queue.toKey('delayed'),
      '-inf',
      String(untilScore),
      'BYSCORE',
    );
    // `bell-<slot>` or `bell-<slot>-<process>-<n>`
    return new Set(ids.map((id) => Number(id.split('-')[1])));
  }

  /** Rings at once, or at the end of the slot in which this process has already rung: one bell per slot and process. */
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

  /** Fails while Redis is away. */
  async ping(): Promise<void> {
    await this.#options.redis.ping();
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
        opts: { ...GONE_WHEN_RUNG, jobId: this.#ownId(nowAt) },
      },
    ]);
  }

  #bell(ringAt: number, nowAt: number, sharedFromMs: number) {
    const isShared = ringAt - nowAt >= sharedFromMs;
    const jobId = isShared ? `bell-${ringAt}` : this.#ownId(ringAt);
    // The time to ring is Postgres's and absolute, whatever this machine's clock says.
    const timestamp = Math.floor(nowAt);
    return {
      name: BELL_JOB,
      data: { ringAt },
      opts: { ...GONE_WHEN_RUNG, jobId, delay: ringAt - timestamp, timestamp },
    };
  }

  #ownId(ringAt: number): string {
    return `bell-${Math.round(ringAt)}-${this.#options.process}-${this.#number++}`;
  }

  async #add(bells: Parameters<Queue<Bell>['addBulk']>[0]): Promise<void> {
    for (let from = 0; from < bells.length; from += ADD_AT_ONCE) {
      await this.queue.addBulk(bells.slice(from, from + ADD_AT_ONCE));
    }
    if (bells.length > 0) this.#options.onArmed(bells.length);
  }

  #forgetBefore(nowAt: number): void {
    for (const ringAt of this.#armed) {
      // A set is in order of insertion, which is nearly that of time; a full pass is for the rare rest.
      if (ringAt >= nowAt) break;
      this.#armed.delete(ringAt);
    }
    if (this.#armed.size > MOST_REMEMBERED) {
      for (const ringAt of this.#armed) if (ringAt < nowAt) this.#armed.delete(ringAt);
    }
  }
}

const MOST_REMEMBERED = 50_000;
