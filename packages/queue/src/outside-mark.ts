import { z } from 'zod';
import type { RedisClient } from './connection.js';

/** A heartbeat that a worker has written and Postgres has committed, remembered in Redis. */
const Mark = z.object({
  installationId: z.string(),
  generation: z.number(),
  workerId: z.number(),
  token: z.string(),
  beats: z.number(),
  at: z.number(),
});
export type Mark = z.infer<typeof Mark>;

/**
 * Keeps the mark in Redis: a copy of the latest worker heartbeat that Postgres has committed. A worker that starts
 * looks for this heartbeat in Postgres. If Postgres does not have it, Postgres has lost transactions while no worker
 * ran.
 */
export class OutsideMark {
  constructor(private readonly options: { redis: RedisClient; prefix: string }) {}

  /** Reads the remembered heartbeat; null if Redis has none. Throws if Redis does not answer. */
  async read(installationId: string): Promise<Mark | null> {
    const text = await this.options.redis.get(this.#key(installationId));
    if (text === null) return null;
    try {
      return Mark.parse(JSON.parse(text));
    } catch {
      // Another program has overwritten the key. So it is unknown whether Postgres has lost a heartbeat.
      return null;
    }
  }

  async write(mark: Mark): Promise<void> {
    await this.options.redis.set(this.#key(mark.installationId), JSON.stringify(mark));
  }

  #key(installationId: string): string {
    return `${this.options.prefix}:carillon-mark:${installationId}`;
  }
}
