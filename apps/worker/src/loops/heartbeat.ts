import { beat, type Heartbeat } from '@carillon/db';
import type { WorkerContext } from '../context.js';
import type { InFlight } from '../in-flight.js';

/** Says that this worker lives, and hands over what its counters have grown by. */
export async function sendHeartbeat(
  { pool, workerId, metrics, clock }: WorkerContext,
  inFlight: InFlight,
): Promise<Heartbeat> {
  const grown = metrics.take();
  try {
    return await clock.ask(() => beat(pool, { workerId, inFlight: inFlight.count, grown }));
  } catch (error) {
    metrics.giveBack(grown);
    throw error;
  }
}
