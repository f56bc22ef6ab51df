import {
  backfillSchedule,
  cancelRun,
  cancelSchedule,
  editSchedule,
  pauseSchedule,
  replayRun,
  rescheduleNext,
  skipNext,
  triggerSchedule,
} from '@carillon/db';
import type { Outcome, RunIdentity, ScheduleInput } from '@carillon/shared';
import { draft } from '@carillon/testkit';
import fc from 'fast-check';
import type { World } from './world.js';

type Command = fc.AsyncCommand<object, World>;

/** One step of a random history. The class `World` checks the result, so the model of fast-check stays empty. */
function step<T>(
  name: string,
  values: fc.Arbitrary<T>,
  run: (world: World, value: T) => Promise<void>,
): fc.Arbitrary<Command> {
  return values.map((value) => ({
    check: () => true,
    run: async (_model, world) => {
      await run(world, value);
      await world.checkStep();
    },
    toString: () => `${name}(${JSON.stringify(value)})`,
  }));
}

const nothing = fc.constant(null);
const someOf = fc.nat(9);

function take<T>(list: T[], index: number): T | undefined {
  return list.length === 0 ? undefined : list.splice(index % list.length, 1)[0];
}

const FAILED: Outcome = { kind: 'failed', isTransient: true, errorCode: 'error', error: 'failed on purpose' };
const DEFERRED: Outcome = {
  kind: 'deferred',
  retryInMs: 3_000,
  reasonCode: 'origin_busy',
  reason: 'deferred on purpose',
};

/** A step in which the worker reports how one of its runs ended. */
const close = (name: string, outcome: Outcome, { withFollowUp = true } = {}) =>
  step(name, someOf, async (world, index) => {
    const run = take(world.inFlight, index);
    if (run) await world.close(run, outcome, { withFollowUp });
  });

const RULES = [
  { every: 'PT10S' },
  { cron: '*/7 * * * * *' },
  { cron: '*/30 * * * * *' },
  { rrule: 'FREQ=MINUTELY;BYSECOND=5,40' },
];

/** Random policies and jitter of a definition. */
const policies = fc.record({
  misfire: fc.constantFrom('once', 'all', 'skip').map((policy) => ({ policy })),
  overlap: fc.constantFrom('allow', 'allow', 'skip', 'queue', 'cancel'),
  jitter: fc.constantFrom('PT0S', 'PT0S', 'PT4S', 'PT25S'),
});

/** Picks a run of the schedule that is in one of these states. */
async function pickRun(
  world: World,
  statuses: readonly string[],
  index: number,
): Promise<RunIdentity | undefined> {
  const { rows } = await world.database.pool.query<RunIdentity>(
    `select schedule_id as "scheduleId", occurrence_at as "occurrenceAt", origin from carillon.runs
     where status::text = any($1) order by occurrence_at desc, origin limit 10`,
    [statuses],
  );
  return rows[index % Math.max(1, rows.length)];
}

/** Edits the schedule as a PATCH of the API would: fields that the change omits stay as they are. */
export async function edit(world: World, change: Partial<ScheduleInput>): Promise<void> {
  const input: ScheduleInput = { ...world.input, ...change };
  const made = draft(input, world.now);
  // An edit without a rule keeps the timing, and so also the instant from which the rule counts its intervals.
  const timing = 'rule' in change ? made.timing : world.timing;
  const { kind } = await editSchedule(world.database.pool, world.request, { ...made, timing });
  if (kind === 'changed') Object.assign(world, { input, timing });
}

const time: fc.Arbitrary<Command>[] = [
  step('wait', fc.integer({ min: 1, max: 20_000 }), async (world, ms) => {
    world.now += ms;
  }),
  step('jump', fc.integer({ min: 60_000, max: 600_000 }), async (world, ms) => {
    world.now += ms;
  }),
];

const workers: fc.Arbitrary<Command>[] = [
  step('claim', fc.integer({ min: 1, max: 5 }), (world, limit) => world.claim(limit)),
  step('claim', fc.integer({ min: 1, max: 5 }), (world, limit) => world.claim(limit)),
  close('succeed', { kind: 'succeeded' }),
  close('succeed and die', { kind: 'succeeded' }, { withFollowUp: false }),
  close('fail', FAILED),
  close('defer', DEFERRED),
  close('hand back', { kind: 'handed_back' }),
  step('extend leases', nothing, (world) => world.extendLeases()),
  step('crash', nothing, async (world) => world.crash()),
  step('sweep', nothing, (world) => world.sweep()),
  step('write late', someOf, async (world, index) => {
    const stale = take(world.stale, index);
    if (stale) await world.writeLate(stale);
  }),
];

const people: fc.Arbitrary<Command>[] = [
  step('pause', fc.option(fc.integer({ min: 1, max: 60_000 })), async (world, ms) => {
    const untilAt = ms === null ? null : world.now + ms;
    const result = await pauseSchedule(world.database.pool, world.request, { note: null, untilAt });
    if (result.kind === 'changed') world.paused(untilAt);
  }),
  step('resume', nothing, (world) => world.resume()),
  step('edit rule', fc.tuple(fc.constantFrom(...RULES), policies), (world, [rule, others]) =>
    edit(world, { rule, ...others }),
  ),
  step('edit instant', fc.integer({ min: -60_000, max: 60_000 }), (world, ms) =>
    edit(world, { rule: { at: new Date(world.now + ms).toISOString() } }),
  ),
  step('edit policies', policies, (world, others) => edit(world, others)),
  step('reschedule', fc.integer({ min: 0, max: 60_000 }), async (world, ms) => {
    await rescheduleNext(world.database.pool, world.request, world.now + ms);
  }),
  step('skip next', nothing, async (world) => {
    await skipNext(world.database.pool, world.request);
  }),
  step('trigger', nothing, async (world) => {
    await triggerSchedule(world.database.pool, world.request);
  }),
  step('backfill', fc.integer({ min: 0, max: 60_000 }), async (world, ms) => {
    const range = { fromAt: world.now - ms, toAt: world.now };
    await backfillSchedule(world.database.pool, world.request, range);
  }),
  step('cancel run', someOf, async (world, index) => {
    const run = await pickRun(world, ['queued', 'running', 'retrying'], index);
    if (run) await cancelRun(world.database.pool, { ...world.runRequest, run });
    await world.dropCancelled();
  }),
  step('replay run', someOf, async (world, index) => {
    const run = await pickRun(world, ['succeeded', 'failed', 'cancelled'], index);
    if (run) await replayRun(world.database.pool, { ...world.runRequest, run });
  }),
  step('cancel', fc.nat(30), async (world, chance) => {
    if (chance > 0) return; // Cancels rarely, because nothing happens to a schedule after its cancel.
    const result = await cancelSchedule(world.database.pool, world.request);
    if (result.kind === 'changed') world.status = 'cancelled';
  }),
];

export const commands: fc.Arbitrary<Command>[] = [...time, ...time, ...workers, ...people];
