import { extendLeases, findCancelled, handBackUnknownLeases } from '@carillon/db';
import type { WorkerContext } from '../context.js';
import type { InFlight } from '../pipeline/in-flight.js';

/**
 * Extends the leases of the runs in flight, and aborts deliveries whose lease was lost. Called every third of a lease,
 * so that two calls may fail before a lease expires. Work that may wait for locks comes last, or is done by
 * `LateHandBack`, so that it cannot delay the extension.
 */
export async function keepLeases(context: WorkerContext, inFlight: InFlight): Promise<void> {
  const kept = await extendAll(context, inFlight);
  if (kept.length > 0) await abortCancelled(context, inFlight, kept);
  if (inFlight.hasLostAnswer) await handBackUnknown(context, inFlight);
}

/**
 * Extends the leases of the runs in flight. Returns the epochs (the numbers) of the leases that this worker still
 * holds.
 */
async function extendAll(
  { leasePool: pool, holder, leaseMs, log }: WorkerContext,
  inFlight: InFlight,
): Promise<number[]> {
  const epochs = inFlight.epochs;
  if (epochs.length === 0) return [];
  const askedAt = performance.now();
  const kept = new Set(await extendLeases(pool, { ...holder, epochs, leaseMs, now: null }));
  for (const epoch of epochs) {
    if (kept.has(epoch)) {
      inFlight.extend(epoch, askedAt + leaseMs);
      continue;
    }
    const lost = inFlight.abandon(epoch);
    if (lost.length > 0) log.warn({ epoch, runs: lost.length }, 'Lease lost: a sweep has rescued its runs');
  }
  return [...kept];
}

async function abortCancelled(
  { leasePool: pool }: WorkerContext,
  inFlight: InFlight,
  epochs: readonly number[],
): Promise<void> {
  const cancelled = await findCancelled(pool, epochs);
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

/**
 * Hands the runs of a claim back to Postgres if the answer of Postgres to the claim was lost. If the claim was
 * committed, any worker can claim its runs again, and no attempt is counted.
 */
async function handBackUnknown(
  { leasePool: pool, holder, log }: WorkerContext,
  inFlight: InFlight,
): Promise<void> {
  const { epochs } = inFlight;
  const { runs, areMoreLikely } = await handBackUnknownLeases(pool, { ...holder, epochs, now: null });
  if (runs > 0) log.warn({ runs }, 'Runs released: their claim was committed, but its answer never arrived');
  inFlight.hasLostAnswer = areMoreLikely;
}
