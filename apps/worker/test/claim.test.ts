import { type ClaimedRun, triggerSchedule } from '@carillon/db';
import { type Bells, slotEnd } from '@carillon/queue';
import { eventually, insertSchedules, useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { Claimer } from '../src/pipeline/claim.js';
import { type Flight, InFlight } from '../src/pipeline/in-flight.js';
import type { Starvation } from '../src/pipeline/starvation.js';
import { insertDue, onlyOne, readRun, useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);
const NOT_STARVED = { throttle: () => null };

/** A claimer whose runs stay in flight, because nothing delivers them. */
function openClaimer(places = 100, starvation: Pick<Starvation, 'throttle'> = NOT_STARVED) {
  const inFlight = new InFlight({ places, bytes: 1e9 }, () => claimer.onFree());
  const flights: Flight[] = [];
  const batches: number[] = [];
  const keep = (runs: readonly ClaimedRun[]) => {
    batches.push(runs.length);
    flights.push(...inFlight.add(runs));
  };
  const claimer = new Claimer(worker.context, inFlight, starvation, keep);
  return { claimer, inFlight, flights, batches };
}

/** Inserts a run that waits for its first attempt; returns the id of its schedule. */
async function insertWaiting(): Promise<number> {
  const [id] = await insertSchedules(database, [{ rule: { every: 'P1D' } }]);
  await triggerSchedule(database.pool, { ref: { id: id as number }, actor: 'test', now: null });
  return id as number;
}

describe('claimer', () => {
  it('a worker that is woken several times during a claim makes one further claim, after the current claim has ended', async () => {
    const { claimer } = openClaimer();
    const first = claimer.ring();
    const second = claimer.ring();
    expect(second).not.toBe(first);
    expect(claimer.ring()).toBe(second);
    await second;
  });

  it('a worker at its maximum of concurrent runs claims nothing, and claims again as soon as a run ends', async () => {
    await Promise.all([insertDue(database, {}), insertDue(database, {})]);
    const { claimer, inFlight, flights } = openClaimer(1);
    await claimer.ring();
    inFlight.remove(onlyOne(flights));
    await eventually(() => flights.length === 2);
    await claimer.stop();
  });

  it('a claim sets the wake-up for the next occurrence of a schedule before the claimed run is delivered', async () => {
    const { bells, clock } = worker.context;
    await insertSchedules(database, [{ rule: { every: 'PT20S' } }], { nowAt: Date.now() - 21_000 });
    const { claimer, flights } = openClaimer();
    await claimer.ring();
    const nextAt = onlyOne(flights).run.occurrenceAt + 20_000;
    await eventually(async () => (await bells.readArmed(clock.now(), 60_000))?.has(slotEnd(nextAt)));
  });

  it('a claim that fails is logged, and the next claim takes the due runs', async () => {
    const id = await insertDue(database, {});
    const { claimer, inFlight, flights } = openClaimer();
    await database.pool.query('alter table carillon.agenda rename to agenda_elsewhere');
    await claimer.ring();
    await database.pool.query('alter table carillon.agenda_elsewhere rename to agenda');
    expect(worker.messages).toContain('Claim failed; the next sweep tries again');
    expect(inFlight.hasLostAnswer).toBe(true);
    await claimer.ring();
    expect(onlyOne(flights).run.scheduleId).toBe(id);
  });

  it.each([
    // Each statement that looks for waiting runs names `deferrals`, and each that looks for due schedules `agenda`.
    ['due schedules', 'waiting runs', 'deferrals'],
    ['waiting runs', 'due schedules', 'agenda'],
  ])(
    'the runs that a claim of %s has committed are delivered even if the claim of %s fails',
    async (kept, _, table) => {
      const dueId = await insertDue(database, {});
      const waitingId = await insertWaiting();
      const { claimer, inFlight, flights } = openClaimer();
      await database.pool.query(`alter table carillon.${table} rename to ${table}_elsewhere`);
      await claimer.ring();
      await database.pool.query(`alter table carillon.${table}_elsewhere rename to ${table}`);
      expect(onlyOne(flights).run.scheduleId).toBe(kept === 'waiting runs' ? waitingId : dueId);
      // The failed claim may have been committed too, so the worker asks Postgres for leases that it does not know.
      expect(inFlight.hasLostAnswer).toBe(true);
      await claimer.ring();
      expect(flights).toHaveLength(2);
      await claimer.stop();
    },
  );

  it('a worker that is starved of CPU claims no more runs at once than the reduced limit allows', async () => {
    const at = new Date().toISOString();
    await insertSchedules(
      database,
      Array.from({ length: 50 }, () => ({ rule: { at } })),
    );
    const { claimer, batches } = openClaimer(1_000, { throttle: () => ({ pauseMs: 1, limit: 10 }) });
    await claimer.ring();
    expect(batches).toEqual([10, 10, 10, 10, 10]);
  });

  it('a worker that has no room for all due runs wakes the other workers', async () => {
    const { queue } = worker.context.bells as Bells;
    await queue.drain();
    await Promise.all([insertDue(database, {}), insertDue(database, {}), insertDue(database, {})]);
    const { claimer, inFlight, flights } = openClaimer(2);
    await claimer.ring();
    expect(flights).toHaveLength(2);
    await eventually(async () => (await queue.getWaitingCount()) > 0);
    inFlight.remove(flights[0] as Flight);
    await eventually(() => flights.length === 3);
    await claimer.stop();
  });

  it('a worker that has stopped claiming claims nothing when it is woken', async () => {
    const id = await insertDue(database, {});
    const { claimer } = openClaimer();
    await claimer.stop();
    await claimer.ring();
    expect(await readRun(database, id)).toBeNull();
  });

  it.each([
    ['pauses because it is starved of CPU', { throttle: () => ({ pauseMs: 50, limit: 10 }) }],
    ['reads the projects that share the batch', NOT_STARVED],
  ])('a claim that is stopped while the worker %s takes no run', async (_when, starvation) => {
    const id = await insertDue(database, {});
    const { claimer } = openClaimer(100, starvation);
    const rung = claimer.ring();
    await claimer.stop();
    await rung;
    expect(await readRun(database, id)).toBeNull();
  });
});
