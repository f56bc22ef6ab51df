import type { Queue } from 'bullmq';
import type { RedisClient } from './connection.js';
import { QUEUES, type Tick } from './names.js';
import { openQueue } from './open-queue.js';

/** Makes a worker do a tick (one of Carillon's own jobs) now, even if it is not repeated or its next time is later. */
export interface Waker {
  wake(tick: Tick): Promise<void>;
  close(): Promise<void>;
}

/** Makes a worker do a tick now, by a job in Redis. */
export class WakeUps implements Waker {
  readonly #queue: Queue;

  constructor(options: { redis: RedisClient; prefix: string }) {
    this.#queue = openQueue(QUEUES.ticks, options);
  }

  /** Fails at once while Redis is unreachable. The next regular tick or sweep then does the work. */
  async wake(tick: Tick): Promise<void> {
    await this.#queue.add(tick, {}, { removeOnComplete: true, removeOnFail: true });
  }

  /**
   * Adds a tick that a worker does after a delay. Calls with the same id add only one job, so that several workers may
   * request the same tick.
   */
  async wakeLater(tick: Tick, { id, delayMs }: { id: string; delayMs: number }): Promise<void> {
    const delay = Math.max(0, Math.ceil(delayMs));
    await this.#queue.add(tick, {}, { jobId: id, delay, removeOnComplete: true, removeOnFail: true });
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}
