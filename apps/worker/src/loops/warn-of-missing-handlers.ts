import type { Pool } from 'pg';
import type { WorkerContext } from '../context.js';

/** For each worker in this process, by its pool: the handlers that its last warning named. */
const warnedOf = new WeakMap<Pool, string>();

/**
 * Warns once if due runs wait for handlers that no live worker has. Warns again if the missing handlers change, and
 * logs when none is missing any more.
 */
export function warnOfMissingHandlers(
  { pool, log }: Pick<WorkerContext, 'pool' | 'log'>,
  handlers: readonly string[],
): void {
  const names = handlers.join(', ');
  if (names === (warnedOf.get(pool) ?? '')) return;
  if (handlers.length > 0)
    log.warn(
      { handlers },
      `Due runs wait for handlers that no live worker has (${names}): start a worker that defines them`,
    );
  else log.info('No due run waits for a missing handler any more');
  warnedOf.set(pool, names);
}
