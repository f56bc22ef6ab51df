import type { Pool } from 'pg';
import { inFireTransaction } from '../database.js';
import { lockDue } from './claim-due.js';
import { prepareClose } from './close-runs.js';
import type { Holder } from './fencing.js';
import { prepareStart } from './start-runs.js';

/**
 * Opens connections and has each of them plan the statements of a fire, by running them on empty input. Otherwise
 * planning would delay the first fires after a start by some tens of milliseconds each.
 */
export async function warmUp(pool: Pool, holder: Holder, connections: number): Promise<void> {
  const warmOne = () =>
    inFireTransaction(pool, async (tx) => {
      await prepareClose(tx, holder);
      await lockDue(tx, { limit: 0, fairTo: [], handlers: [], now: null });
      await prepareStart(tx, holder);
    });
  await Promise.all(Array.from({ length: connections }, warmOne));
}
