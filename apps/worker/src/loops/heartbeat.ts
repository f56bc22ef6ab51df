import { type Heartbeat, sendHeartbeat as report } from '@carillon/db';
import type { WorkerContext } from '../context.js';
import type { InFlight } from '../pipeline/in-flight.js';

/** Maximum number of open circuit breakers that a worker reports. */
const MAX_CIRCUITS = 1_000;

/** Reports that this worker is alive, and adds the growth of its counters to the sums in Postgres. */
export async function sendHeartbeat(
  { pool, holder, metrics, clock, traffic, sweepIntervalMs }: WorkerContext,
  inFlight: InFlight,
): Promise<Heartbeat> {
  const grown = metrics.take();
  try {
    return await clock.ask(() =>
      report(pool, {
        workerId: holder.workerId,
        token: holder.token,
        inFlight: inFlight.count,
        heartbeatIntervalMs: sweepIntervalMs,
        clockOffsetMs: Math.round(clock.offsetMs),
        openCircuits: traffic.openCircuits().slice(0, MAX_CIRCUITS),
        grown,
      }),
    );
  } catch (error) {
    metrics.putBack(grown);
    throw error;
  }
}
