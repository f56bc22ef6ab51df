import { readClock } from '@carillon/db';
import type { ApiContext } from '../context.js';

const ASK_EVERY_MS = 30_000;

/** Asks Postgres for the time now and then, while there are requests; without any it is left in peace. */
export function keepClock({ pool, clock }: Pick<ApiContext, 'pool' | 'clock'>): () => Promise<void> {
  let askedAt = performance.now();
  return async () => {
    if (performance.now() - askedAt < ASK_EVERY_MS) return;
    askedAt = performance.now();
    // Not waited for: what is known of the clock will do for this request.
    clock.ask(() => readClock(pool)).catch(() => {});
  };
}
