import {
  type ClaimedRun,
  claimDue,
  claimWaiting,
  pauseFailing,
  pauseSchedule,
  promoteQueued,
  resumeEnded,
} from '@carillon/db';
import {
  MINUTE_MS,
  nextOccurrences,
  type Outcome,
  readTiming,
  type ScheduleInput,
  type SimulatedSchedule,
  type Simulation,
  type SimulationOptions,
  simulate,
  summarize,
} from '@carillon/shared';
import { draft, emptyTables, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');
const FAILED: Outcome = {
  kind: 'failed',
  isTransient: true,
  errorCode: 'error',
  error: 'the receiver is down',
};

interface Story {
  schedules: ScheduleInput[];
  options: SimulationOptions;
  /** The schedules that are paused at the beginning, by id, and when their pause ends; null for a pause without end. */
  pauses?: Record<string, number | null>;
}

/** An occurrence and its outcome. */
interface Fate {
  schedule: string;
  at: number;
  status: string;
  reasonCode: string | null;
  attempts: number;
}

const inOrder = (fates: Fate[]) =>
  fates.toSorted((a, b) => a.at - b.at || (a.schedule < b.schedule ? -1 : 1) || 0);

function simulationOf({ schedules, options, pauses = {} }: Story) {
  const set: SimulatedSchedule[] = schedules.map((input) => {
    const { key, timing, plan, first } = draft(input, T0);
    const isPaused = key in pauses;
    return { key, timing, plan, next: first, runsTotal: 0, isPaused, pausedUntilAt: pauses[key] ?? null };
  });
  const steps = simulate(set, options);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return { set, simulation: step.value };
}

function simulated(story: Story): Fate[] {
  const { set, simulation } = simulationOf(story);
  return inOrder(fatesOf(simulation, set));
}

function fatesOf({ runs, gaps }: Simulation, set: readonly SimulatedSchedule[]): Fate[] {
  const passed = gaps.flatMap(({ schedule, fromAt, count, reasonCode }) => {
    const timing = set.find(({ key }) => key === schedule)?.timing;
    if (!timing) throw new Error(`unknown schedule ${schedule}`);
    const ats = [fromAt, ...nextOccurrences(timing, fromAt, count - 1)];
    return ats.map((at) => ({ schedule, at, status: 'skipped', reasonCode, attempts: 0 }));
  });
  const ran = runs.map(({ schedule, occurrenceAt: at, status, reasonCode, attempts }) => {
    // In Postgres a failed run has an error and no reason.
    const reason = status === 'failed' ? null : reasonCode;
    return { schedule, at, status, reasonCode: reason, attempts };
  });
  return [...passed, ...ran];
}

/** Runs the same schedules and outages on the real engine, with time as an argument. */
async function played({ schedules, options, pauses = {} }: Story): Promise<Fate[]> {
  const { pool } = database;
  const tables =
    'schedules agenda stopped_schedules schedule_versions runs attempts gaps leases audit_log'.split(' ');
  await emptyTables(database, tables);
  const ids = await insertSchedules(database, schedules, { nowAt: T0 });
  for (const [key, untilAt] of Object.entries(pauses)) {
    const ref = { projectId: database.projectId, key };
    await pauseSchedule(pool, { ref, actor: 'test', now: T0 }, { note: null, untilAt });
  }
  const { outages, runMs, toAt } = options;
  const isDown = (receiver: string | null, at: number) =>
    outages.some((outage) => outage.receiver === receiver && outage.fromAt <= at && at < outage.toAt);
  const flights: { run: ClaimedRun; endsAt: number }[] = [];
  // After a run has ended, a worker pauses the schedule if it keeps failing, and then lets queued runs start.
  const close = async (run: ClaimedRun, outcome: Outcome, now: number) => {
    await engine.closeAll([{ run, outcome }], now);
    const { scheduleId, plan, attempt } = run;
    const limit = plan.pauseAfterFailures;
    if (outcome.kind === 'failed' && attempt >= plan.retry.maxAttempts && limit !== null)
      await pauseFailing(pool, { scheduleId, limit });
    await promoteQueued(pool, [scheduleId], now);
  };
  for (let now = T0; now <= toAt; now = await nextAt(now, flights, outages)) {
    for (const { run } of flights.filter(({ endsAt }) => endsAt <= now))
      await close(run, { kind: 'succeeded' }, now);
    flights.splice(0, flights.length, ...flights.filter(({ endsAt }) => endsAt > now));
    if (isDown(null, now)) continue;
    await resumeEnded(pool, now);
    for (let claimed = await claimNext(now); claimed.length > 0; claimed = await claimNext(now)) {
      for (const run of claimed) {
        const { target } = run.plan;
        if (target.type === 'handler' && isDown(`handler:${target.name}`, now)) await close(run, FAILED, now);
        else if (runMs === 0) await close(run, { kind: 'succeeded' }, now);
        else flights.push({ run, endsAt: now + runMs });
      }
    }
  }
  return inOrder(
    (await Promise.all(ids.map((id, index) => readFates(id, schedules[index]?.id ?? '')))).flat(),
  );
}

/**
 * Claims the due schedules. If none is due, claims a single waiting run. The failure of that run may pause its
 * schedule, and a claim of several runs would already have started the next run of the schedule.
 */
async function claimNext(now: number): Promise<readonly ClaimedRun[]> {
  const holder = await engine.holder();
  const options = { ...holder, leaseMs: 15_000, handlers: ['noop', 'log'], now };
  const due = await claimDue(database.pool, { ...options, limit: 100, fairTo: [] });
  if (due.runs.length > 0) return due.runs;
  return (await claimWaiting(database.pool, { ...options, limit: 1 })).runs;
}

/** The next instant at which something happens: an agenda row or a waiting run is due, or a run in flight ends. */
async function nextAt(
  now: number,
  flights: readonly { endsAt: number }[],
  outages: SimulationOptions['outages'],
): Promise<number> {
  const { rows } = await database.pool.query<{ at: number | null }>(
    `select min(at) as at from (
       select due_at as at from carillon.agenda where not is_held
       union all select next_attempt_at from carillon.runs where next_attempt_at < 'infinity'
       union all select paused_until from carillon.stopped_schedules) as timed`,
  );
  const waiting = rows[0]?.at ?? Number.POSITIVE_INFINITY;
  const ends = flights.map(({ endsAt }) => endsAt);
  const down = outages.find(({ receiver, fromAt, toAt }) => receiver === null && fromAt <= now && now < toAt);
  // While the engine is down, runs in flight can end, but nothing else happens.
  const engineAt = down ? down.toAt : Math.max(waiting, now + 1);
  return Math.min(engineAt, ...ends);
}

async function readFates(id: number, schedule: string): Promise<Fate[]> {
  const runs = (await engine.runsOf(id)).map(({ occurrenceAt: at, status, reasonCode, attempt }) => {
    const isOpen = ['queued', 'running', 'retrying'].includes(status);
    return { schedule, at, status: isOpen ? 'open' : status, reasonCode, attempts: attempt };
  });
  const { rows } = await database.pool.query<{ fromAt: number; count: number; reasonCode: string }>(
    `select from_at as "fromAt", count, reason_code as "reasonCode" from carillon.gaps where schedule_id = $1`,
    [id],
  );
  const timing = rows.length > 0 ? await timingOf(id) : null;
  const passed = rows.flatMap(({ fromAt, count, reasonCode }) =>
    [fromAt, ...(timing ? nextOccurrences(timing, fromAt, count - 1) : [])].map((at) => ({
      schedule,
      at,
      status: 'skipped',
      reasonCode,
      attempts: 0,
    })),
  );
  return [...runs, ...passed];
}

async function timingOf(id: number) {
  const { rows } = await database.pool.query<{ timing: string }>(
    'select timing from carillon.schedules where id = $1',
    [id],
  );
  return readTiming(rows[0]?.timing ?? '');
}

const optionsOf = (change: Partial<SimulationOptions>): SimulationOptions => ({
  fromAt: T0,
  toAt: T0 + 30 * MINUTE_MS,
  outages: [],
  runMs: 0,
  circuitOpenMs: 10_000,
  maxSteps: 100_000,
  ...change,
});

const agree = async (story: Story): Promise<Fate[]> => {
  const fates = await played(story);
  expect(fates).toEqual(simulated(story));
  return fates;
};

describe('The simulation predicts what the engine does', () => {
  const outage = { fromAt: T0 + 5 * MINUTE_MS, toAt: T0 + 15 * MINUTE_MS + 7_000, receiver: null };

  it.each(['once', 'all', 'skip'] as const)(
    'the simulation agrees with the engine: misfire policy %s after an outage',
    async (policy) => {
      const schedules = [{ id: 'minutely', rule: { cron: '* * * * *' }, misfire: { policy, limit: 4 } }];
      await agree({ schedules, options: optionsOf({ outages: [outage] }) });
    },
  );

  it.each(['allow', 'skip', 'queue', 'cancel'] as const)(
    'the simulation agrees with the engine: overlap policy %s with runs that take longer than the interval of the rule',
    async (overlap) => {
      const schedules = [{ id: 'slow', rule: { cron: '* * * * *' }, overlap }];
      await agree({ schedules, options: optionsOf({ runMs: 95_000, toAt: T0 + 10 * MINUTE_MS }) });
    },
  );

  it('the simulation agrees with the engine: attempts, retries and final failures while a receiver is down', async () => {
    const schedules = [
      {
        id: 'fragile',
        rule: { cron: '*/2 * * * *' },
        target: { type: 'handler' as const, name: 'noop' },
        retry: { maxAttempts: 3, baseDelay: 'PT45S', jitter: false },
      },
    ];
    const down = { fromAt: T0 + 3 * MINUTE_MS, toAt: T0 + 9 * MINUTE_MS, receiver: 'handler:noop' };
    await agree({ schedules, options: optionsOf({ outages: [down] }) });
  });

  it('the simulation agrees with the engine: pauseAfterFailures counts failed runs in the order of their occurrences, not of their ends', async () => {
    const target = { type: 'handler' as const, name: 'noop' };
    const fragile = { target, retry: { maxAttempts: 1 }, pauseAfterFailures: 2 };
    const schedules = [{ id: 'fragile', rule: { cron: '* * * * *' }, ...fragile }];
    // The run of the third minute is in flight while the next two fail, and succeeds after them.
    const down = { fromAt: T0 + 3.5 * MINUTE_MS, toAt: T0 + 9 * MINUTE_MS, receiver: 'handler:noop' };
    const options = optionsOf({ outages: [down], runMs: 90_000, toAt: T0 + 12 * MINUTE_MS });
    const fates = await agree({ schedules, options });
    expect(fates.map(({ status }) => status)).toEqual([...Array(3).fill('succeeded'), 'failed', 'failed']);
    const between = { ...down, toAt: T0 + 4.5 * MINUTE_MS };
    // Here a run fails between two runs that succeed, so the schedule goes on.
    expect(await agree({ schedules, options: { ...options, outages: [between] } })).toHaveLength(12);
  });

  it('the simulation agrees with the engine: a waiting run is held when failures pause its schedule', async () => {
    const target = { type: 'handler' as const, name: 'noop' };
    const retry = { maxAttempts: 2, baseDelay: 'PT90S', jitter: false };
    const schedules = [{ id: 'held', rule: { cron: '* * * * *' }, target, retry, pauseAfterFailures: 1 }];
    const down = { fromAt: T0, toAt: T0 + 9 * MINUTE_MS, receiver: 'handler:noop' };
    const fates = await agree({ schedules, options: optionsOf({ outages: [down] }) });
    expect(fates.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['failed', 2],
      ['open', 1],
    ]);
  });

  it.each([
    ['once', 5],
    ['all', 9],
    ['skip', 5],
  ] as const)(
    'the simulation agrees with the engine: a pause that ends within the range, misfire policy %s',
    async (policy, runs) => {
      const misfire = { policy, limit: 4 };
      const schedules = ['ends', 'stays'].map((id) => ({ id, rule: { cron: '* * * * *' }, misfire }));
      const pauses = { ends: T0 + 5 * MINUTE_MS + 1, stays: null };
      const options = optionsOf({ toAt: T0 + 10 * MINUTE_MS });
      const fates = await agree({ schedules, options, pauses });
      expect(fates.every(({ schedule }) => schedule === 'ends')).toBe(true);
      expect(fates.filter(({ status }) => status === 'succeeded')).toHaveLength(runs);
      // While the engine is down, no pause ends.
      const down = { fromAt: T0 + 4 * MINUTE_MS, toAt: T0 + 7 * MINUTE_MS, receiver: null };
      await agree({ schedules, pauses, options: { ...options, outages: [down] } });
      const downToTheEnd = { ...down, toAt: T0 + 11 * MINUTE_MS };
      expect(await agree({ schedules, pauses, options: { ...options, outages: [downToTheEnd] } })).toEqual(
        [],
      );
    },
  );

  it('the simulation agrees with the engine: a dependency on a schedule that fails for a while', async () => {
    const target = { type: 'handler' as const, name: 'noop' };
    const schedules = [
      { id: 'first', rule: { cron: '* * * * *' }, target, retry: { maxAttempts: 1 } },
      {
        id: 'second',
        rule: { rrule: 'FREQ=MINUTELY;BYSECOND=30' },
        startAt: new Date(T0 + MINUTE_MS).toISOString(),
        dependsOn: { schedule: 'first', within: 'PT2M' },
      },
    ];
    const down = { fromAt: T0 + 3.5 * MINUTE_MS, toAt: T0 + 9 * MINUTE_MS, receiver: 'handler:noop' };
    const options = optionsOf({ outages: [down], toAt: T0 + 12 * MINUTE_MS });
    const fates = await agree({ schedules, options });
    const skipped = fates.filter(({ reasonCode }) => reasonCode === 'dependency');
    // The last success is at 10:03, so the runs from 10:05:30 to 10:08:30 find none within two minutes.
    expect(skipped.map(({ at }) => (at - T0) / MINUTE_MS)).toEqual([5.5, 6.5, 7.5, 8.5]);
  });

  it('the figures of a simulation by misfire policy and by overlap policy each add up to the total', () => {
    const policies = [
      ['once', 'allow'],
      ['all', 'queue'],
      ['skip', 'skip'],
      ['skip', 'cancel'],
    ] as const;
    const schedules = policies.map(([policy, overlap]) => ({
      id: `${policy}-${overlap}`,
      rule: { cron: '* * * * *' },
      misfire: { policy },
      overlap,
    }));
    const options = optionsOf({ runMs: 95_000, toAt: T0 + 5 * MINUTE_MS });
    const { set, simulation } = simulationOf({ schedules, options });
    const { total, byMisfire, byOverlap } = summarize(set, simulation);
    expect(total).toMatchObject({ schedules: 4, occurrences: 20 });
    expect(byMisfire.skip).toMatchObject({ schedules: 2, occurrences: 10 });
    expect(byOverlap.allow).toMatchObject({ schedules: 1, runs: 5, skipped: {} });
    expect(byOverlap.skip).toMatchObject({ schedules: 1, runs: 3, skipped: { overlap: 2 } });
    expect(byOverlap.queue).toMatchObject({ schedules: 1, occurrences: 5, runs: 3, queued: 4 });
    expect(byOverlap.cancel).toMatchObject({ schedules: 1, runs: 5, cancelled: 4 });
    const sums = (parts: Record<string, { runs: number }>) =>
      Object.values(parts).reduce((sum, { runs }) => sum + runs, 0);
    expect([sums(byMisfire), sums(byOverlap)]).toEqual([total.runs, total.runs]);
  });

  it('the simulation agrees with the engine: more than a hundred missed occurrences are recorded as one gap', async () => {
    const schedules = [
      { id: 'quick', rule: { every: 'PT2S' }, misfire: { policy: 'skip' as const, grace: 'PT5S' } },
    ];
    await agree({ schedules, options: optionsOf({ outages: [outage], toAt: T0 + 16 * MINUTE_MS }) });
  });

  it('the simulation agrees with the engine: random schedules, policies, outages and run times', {
    timeout: 120_000,
  }, async () => {
    const schedule = fc.record({
      rule: fc.constantFrom(
        { every: 'PT20S' },
        { every: 'PT90S' },
        { cron: '*/3 * * * *' },
        { rrule: 'FREQ=MINUTELY;INTERVAL=2;BYSECOND=5,40' },
        { at: new Date(T0 + 4 * MINUTE_MS).toISOString() },
      ),
      misfire: fc.record({
        policy: fc.constantFrom('once' as const, 'all' as const, 'skip' as const),
        grace: fc.constantFrom('PT0S', 'PT10S', 'PT1M'),
        limit: fc.integer({ min: 1, max: 5 }),
      }),
      overlap: fc.constantFrom('allow' as const, 'skip' as const, 'queue' as const, 'cancel' as const),
      maxConcurrentRuns: fc.constantFrom(null, null, 1, 2),
      maxRuns: fc.constantFrom(null, null, 3),
      jitter: fc.constantFrom(null, 'PT15S'),
      target: fc.constantFrom(
        { type: 'handler' as const, name: 'noop' },
        { type: 'handler' as const, name: 'log' },
      ),
      pauseAfterFailures: fc.constantFrom(null, null, 1, 2, 3),
      retry: fc.record({
        maxAttempts: fc.integer({ min: 1, max: 3 }),
        baseDelay: fc.constantFrom('PT5S', 'PT50S'),
        jitter: fc.constant(false),
      }),
    });
    const span = (receiver: string | null) =>
      fc
        .tuple(fc.integer({ min: 0, max: 400_000 }), fc.integer({ min: 1_000, max: 400_000 }))
        .map(([from, length]) => ({ fromAt: T0 + from, toAt: T0 + from + length, receiver }));
    const stories = fc.record({
      schedules: fc
        .array(schedule, { minLength: 1, maxLength: 3 })
        .map((list) => list.map((input, index) => ({ ...input, id: `schedule-${index}` }))),
      outages: fc.tuple(span(null), span('handler:noop')).chain((all) => fc.subarray(all)),
      runMs: fc.constantFrom(0, 7_000, 65_000),
      pauses: fc.constantFrom({}, {}, { 'schedule-0': T0 + 200_001 }, { 'schedule-0': null }),
    });
    await fc.assert(
      fc.asyncProperty(stories, async ({ schedules, outages, runMs, pauses }) => {
        const options = optionsOf({ outages, runMs, toAt: T0 + 12 * MINUTE_MS });
        await agree({ schedules, options, pauses });
      }),
      { numRuns: 25 },
    );
  });
});
