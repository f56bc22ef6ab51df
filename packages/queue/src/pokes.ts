import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUES, type Tick } from './names.js';

/** Has some worker do one of the ticks now rather than at its time. */
export class Pokes {
  readonly #queue: Queue;

  constructor({ redis, prefix }: { redis: Redis; prefix: string }) {
    // While Redis is away a poke fails at once: whatever it was for is picked up later.
    this.#queue = new Queue(QUEUES.ticks, { connection: redis, prefix, skipWaitingForReady: true });
    this.#queue.on('error', () => {}); // The connection reports its own errors.
  }

  async poke(tick: Tick): Promise<void> {
    await this.#queue.add(tick, {}, { removeOnComplete: true, removeOnFail: true });
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}
