import { extendLeases, findCancelled } from '@carillon/db';
import type { WorkerContext } from '../context.js';
import type { InFlight } from '../in-flight.js';

/**
 * Extends the leases of what is in hand, and lets go of what is no longer ours. Called every third of a lease: two may
 * fail before one runs out.
 */
export async function keepLeases(
  { pool, workerId, leaseMs, log }: WorkerContext,
  inFlight: InFlight,
): Promise<void> {
  const epochs = inFlight.epochs;
  if (epochs.length === 0) return;
  const kept = new Set(await extendLeases(pool, { workerId, epochs, leaseMs, now: null }));
  for (const epoch of epochs) {
    if (kept.has(epoch)) continue;
    const lost = inFlight.abandon(epoch);
    if (lost.length > 0)
      log.warn({ epoch, runs: lost.length }, 'Lease lost: the runs are somebody else’s now');
  }
  const cancelled = await findCancelled(pool, [...kept]);
  if (cancelled.length === 0) return;
  const flights = inFlight.flights();
  for (const { scheduleId, occurrenceAt, origin } of cancelled) {
    const flight = flights.find(
      ({ run }) =>
        run.scheduleId === scheduleId && run.occurrenceAt === occurrenceAt && run.origin === origin,
    );
    flight?.abort('cancelled');
  }
}
