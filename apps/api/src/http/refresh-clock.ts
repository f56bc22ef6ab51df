import { readClock } from '@carillon/db';
import type { ApiContext } from '../context.js';

const REFRESH_INTERVAL_MS = 30_000;

/**
 * Returns a hook that reads the clock of Postgres, at most every 30 s. Only requests trigger the hook, so an idle API
 * sends no queries.
 */
export function refreshClock({ pool, clock }: Pick<ApiContext, 'pool' | 'clock'>): () => Promise<void> {
  let refreshedAt = performance.now();
  return async () => {
    if (performance.now() - refreshedAt < REFRESH_INTERVAL_MS) return;
    refreshedAt = performance.now();
    // The query is not awaited, because the last known difference to the clock of Postgres is good enough for this
    // request.
    clock.ask(() => readClock(pool)).catch(() => {});
  };
}
