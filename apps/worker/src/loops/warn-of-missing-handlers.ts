import { readMissingHandlers } from '@carillon/db';
import type { Pool } from 'pg';
import type { WorkerContext } from '../context.js';

/** The handlers of which each worker in this process has warned, by its pool. */
const warnedOf = new WeakMap<Pool, string>();

/**
 * Warns once while due runs wait for handlers that no live worker has, again if other handlers are missing, and says
 * when the handlers are back.
 */
export async function warnOfMissingHandlers({
  pool,
  log,
}: Pick<WorkerContext, 'pool' | 'log'>): Promise<void> {
  const handlers = await readMissingHandlers(pool);
  const names = handlers.join(', ');
  if (names === (warnedOf.get(pool) ?? '')) return;
  if (handlers.length > 0)
    log.warn(
      { handlers },
      'Due runs wait for handlers that no live worker has: start a worker that defines them',
    );
  else log.info('No due run waits for a missing handler any more');
  warnedOf.set(pool, names);
}
