import { extendLeases, findCancelled, giveBackUnbegun, giveBackUnknownLeases } from '@carillon/db';
import type { WorkerContext } from '../context.js';
import type { InFlight } from '../pipeline/in-flight.js';

/**
 * Extends the leases of the runs in flight, and abandons runs whose lease was lost. Called every third of a lease, so
 * that two calls may fail before a lease expires.
 */
export async function keepLeases(context: WorkerContext, inFlight: InFlight): Promise<void> {
  const { leasePool: pool, holder, leaseMs, log } = context;
  const epochs = inFlight.epochs;
  if (inFlight.hasLostAnswer) await giveBack({ leasePool: pool, holder, log }, inFlight, epochs);
  if (epochs.length === 0) return giveBackLost(context, inFlight);
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
  await giveBackLost(context, inFlight);
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

/**
 * Releases the runs of a claim whose answer was lost. If the claim was committed, any worker can claim its runs again,
 * and no attempt is counted.
 */
async function giveBack(
  { leasePool: pool, holder, log }: Pick<WorkerContext, 'leasePool' | 'holder' | 'log'>,
  inFlight: InFlight,
  epochs: readonly number[],
): Promise<void> {
  const { runs, areMoreLikely } = await giveBackUnknownLeases(pool, { ...holder, epochs, now: null });
  if (runs > 0) log.warn({ runs }, 'Runs released: their claim was committed, but its answer never arrived');
  inFlight.hasLostAnswer = areMoreLikely;
}

/** Makes the attempts of lost runs free that had not begun. If Postgres does not answer, the next call tries again. */
async function giveBackLost(
  { leasePool: pool, holder, log, bells, clock }: WorkerContext,
  inFlight: InFlight,
): Promise<void> {
  const lost = inFlight.lostUnbegun;
  if (lost.length === 0) return;
  const runs = await giveBackUnbegun(pool, { ...holder, unbegun: lost, now: null });
  inFlight.lostUnbegun = inFlight.lostUnbegun.filter((run) => !lost.includes(run));
  if (runs === 0) return;
  log.warn(
    { runs },
    'Attempts given back: their lease was lost before their delivery began, so they do not count',
  );
  await bells.arm([clock.now()]).catch(() => {}); // If Redis is away, the sweep claims the runs.
}
