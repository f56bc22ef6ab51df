import {
  cancelSchedule,
  editSchedule,
  pauseSchedule,
  rescheduleNext,
  resumeSchedule,
  skipNext,
  triggerSchedule,
} from '@carillon/db';
import { momentAfter } from '@carillon/shared';
import { draft } from '@carillon/testkit';
import fc from 'fast-check';
import type { World } from './world.js';

type Command = fc.AsyncCommand<object, World>;

/** One thing that may happen. What it comes to is the world's to judge, so the model knows nothing. */
function step<T>(
  name: string,
  values: fc.Arbitrary<T>,
  run: (world: World, value: T) => Promise<void>,
): fc.Arbitrary<Command> {
  return values.map((value) => ({
    check: () => true,
    run: (_model, world) => run(world, value),
    toString: () => `${name}(${JSON.stringify(value)})`,
  }));
}

const nothing = fc.constant(null);
const someOf = fc.nat(9);

function take<T>(list: T[], index: number): T | undefined {
  return list.length === 0 ? undefined : list.splice(index % list.length, 1)[0];
}

const RULES = [
  { every: 'PT10S' },
  { cron: '*/7 * * * * *' },
  { cron: '*/30 * * * * *' },
  { rrule: 'FREQ=MINUTELY;BYSECOND=5,40' },
];
const POLICIES = ['once', 'all', 'skip'] as const;

export const commands: fc.Arbitrary<Command>[] = [
  step('wait', fc.integer({ min: 1, max: 20_000 }), async (world, ms) => {
    world.now += ms;
  }),
  step('jump', fc.integer({ min: 60_000, max: 600_000 }), async (world, ms) => {
    world.now += ms;
  }),
  step('claim', fc.integer({ min: 1, max: 5 }), (world, limit) => world.claim(limit)),
  step('claim', fc.integer({ min: 1, max: 5 }), (world, limit) => world.claim(limit)),
  step('succeed', someOf, async (world, index) => {
    const run = take(world.inFlight, index);
    if (run) await world.engine.succeed(run, world.now);
  }),
  step('fail', someOf, async (world, index) => {
    const run = take(world.inFlight, index);
    if (run) await world.engine.fail(run, world.now);
  }),
  step('crash', nothing, async (world) => world.crash()),
  step('rescue', nothing, (world) => world.rescue()),
  step('write late', someOf, async (world, index) => {
    const run = take(world.stale, index);
    if (!run) return;
    const kept = await world.engine.succeed(run, world.now);
    // I2: once its run is somebody else's, a late writer is refused.
    const isTaken = world.inFlight.some(
      (other) => other.occurrenceAt === run.occurrenceAt && other.origin === run.origin,
    );
    if (kept > 0 && isTaken) throw new Error('a late writer was not refused');
  }),
  step('pause', nothing, async (world) => {
    const result = await pauseSchedule(world.database.pool, world.request, { note: null, untilAt: null });
    if (result.kind === 'changed') world.status = 'paused';
  }),
  step('resume', nothing, async (world) => {
    const result = await resumeSchedule(world.database.pool, world.request);
    if (result.kind === 'changed') world.status = 'active';
  }),
  step(
    'edit',
    fc.tuple(fc.constantFrom(...RULES), fc.constantFrom(...POLICIES)),
    async (world, [rule, policy]) => {
      await editSchedule(world.database.pool, world.request, (schedule) => {
        const made = draft(
          { id: world.key, rule, misfire: { policy }, retry: { baseDelay: 'PT5S' } },
          schedule.nowAt,
        );
        return { ...made, next: momentAfter({ ...made, key: world.key }, schedule.nowAt) };
      });
    },
  ),
  step('reschedule', fc.integer({ min: 0, max: 60_000 }), async (world, ms) => {
    await rescheduleNext(world.database.pool, world.request, world.now + ms);
  }),
  step('skip next', nothing, async (world) => {
    await skipNext(world.database.pool, world.request);
  }),
  step('trigger', nothing, async (world) => {
    await triggerSchedule(world.database.pool, world.request);
  }),
  step('cancel', fc.nat(30), async (world, chance) => {
    if (chance > 0) return; // A history that ends at once tells little.
    const result = await cancelSchedule(world.database.pool, world.request);
    if (result.kind === 'changed') world.status = 'cancelled';
  }),
];
