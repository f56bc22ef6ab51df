import type { ApiContext } from '../context.js';
import { keepEvidence } from '../keep-evidence.js';

/** How long the hook collects responses before it reads once for all of them. */
const REFRESH_DELAY_MS = 1_000;

/**
 * Returns a hook that reads and remembers the latest heartbeat of a worker and the latest entry of the audit log, after
 * a response and at most once per second. If Postgres lacks them later, it has lost transactions, and could issue the
 * id of a lost schedule again. Only requests trigger the hook, so an idle API sends no queries.
 */
export function refreshEvidence({
  pool,
  witness,
}: Pick<ApiContext, 'pool' | 'witness'>): () => Promise<void> {
  let isWaiting = false;
  return async () => {
    if (isWaiting) return;
    isWaiting = true;
    const refresh = () => {
      isWaiting = false;
      // The query is not awaited, and its error is ignored: when Postgres is back, each new connection is verified
      // before its first use.
      keepEvidence(pool, witness).catch(() => {});
    };
    setTimeout(refresh, REFRESH_DELAY_MS).unref();
  };
}
