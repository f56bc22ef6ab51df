import { addMetrics, type Counter } from '@carillon/db';
import type { Pool } from 'pg';

const FLUSH_DELAY_MS = 1_000;

/**
 * Counters of this replica that are not yet added to the sums in Postgres. They are flushed one second after the first
 * increment. If each request updated the sums itself, requests would wait for each other's row locks.
 */
export class Counters {
  #pending = new Map<string, Counter>();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly pool: Pool) {}

  count(name: string, by = 1, labels = ''): void {
    if (by === 0) return;
    const key = `${name}{${labels}}`;
    const value = (this.#pending.get(key)?.value ?? 0) + by;
    this.#pending.set(key, { name, labels, value });
    this.#timer ??= setTimeout(() => this.flush().catch(() => {}), FLUSH_DELAY_MS).unref();
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pending.size === 0) return;
    const pending = this.#pending;
    this.#pending = new Map();
    try {
      await addMetrics(this.pool, [...pending.values()]);
    } catch (error) {
      // Postgres is away: keep the counts for the next flush.
      for (const { name, labels, value } of pending.values()) this.count(name, value, labels);
      throw error;
    }
  }
}
