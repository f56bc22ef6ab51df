import type { Pool } from 'pg';
import { inTransaction } from '../database.js';
import { closeRuns } from './close-runs.js';
import { readDue } from './read-due.js';
import { startRuns } from './start-runs.js';

/**
 * Opens connections, and has each of them plan what a fire takes, by asking it about nothing. Otherwise the first bells after a
 * start would pay for it, some tens of milliseconds each.
 */
export async function warmUp(pool: Pool, connections: number): Promise<void> {
  const warmOne = () =>
    inTransaction(pool, async (tx) => {
      await closeRuns(tx, [], { doneEpochs: [], now: null });
      await readDue(tx, { limit: 0, fairTo: [], now: null });
      await startRuns(tx, [], { workerId: 0, nowAt: 0, leaseMs: 0 });
    });
  await Promise.all(Array.from({ length: connections }, warmOne));
}
