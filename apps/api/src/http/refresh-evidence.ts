import type { ApiContext } from '../context.js';
import { keepEvidence } from '../keep-evidence.js';

const REFRESH_INTERVAL_MS = 1_000;

/**
 * Returns a hook that reads and remembers the latest heartbeat of a worker, at most every second. If Postgres lacks
 * this heartbeat later, it has lost transactions, and could issue the id of a lost schedule again. Only requests
 * trigger the hook, so an idle API sends no queries.
 */
export function refreshEvidence({
  pool,
  witness,
}: Pick<ApiContext, 'pool' | 'witness'>): () => Promise<void> {
  let refreshedAt = performance.now();
  return async () => {
    if (performance.now() - refreshedAt < REFRESH_INTERVAL_MS) return;
    refreshedAt = performance.now();
    // The query is not awaited, and its error is ignored: when Postgres is back, each new connection is verified before
    // its first use.
    keepEvidence(pool, witness).catch(() => {});
  };
}
