import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUES, type Tick } from './names.js';
import { openQueue } from './open-queue.js';

/** Has some worker do one of the ticks now rather than at its time. */
export class Pokes {
  readonly #queue: Queue;

  constructor(options: { redis: Redis; prefix: string }) {
    this.#queue = openQueue(QUEUES.ticks, options);
  }

  /** While Redis is away this fails at once: whatever it was for is picked up later. */
  async poke(tick: Tick): Promise<void> {
    await this.#queue.add(tick, {}, { removeOnComplete: true, removeOnFail: true });
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}
