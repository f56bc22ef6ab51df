import { addMetrics, type Counter } from '@carillon/db';
import type { Pool } from 'pg';

const FLUSH_AFTER_MS = 1_000;

/**
 * What this replica has counted and not yet added to the sum of all. It is written a second after something was counted,
 * not with it: a row that every request updates would make them wait for each other.
 */
export class Counters {
  #grown = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly pool: Pool) {}

  count(name: string, by = 1): void {
    if (by === 0) return;
    this.#grown.set(name, (this.#grown.get(name) ?? 0) + by);
    this.#timer ??= setTimeout(() => this.flush().catch(() => {}), FLUSH_AFTER_MS).unref();
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#grown.size === 0) return;
    const grown = this.#grown;
    this.#grown = new Map();
    const counters: Counter[] = [...grown].map(([name, value]) => ({ name, labels: '', value }));
    try {
      await addMetrics(this.pool, counters);
    } catch (error) {
      // Postgres is away: kept, and written with the next.
      for (const [name, value] of grown) this.count(name, value);
      throw error;
    }
  }
}
