import { promoteQueued, readInFlight, readStuckQueues, triggerSchedule } from '@carillon/db';
import { MINUTE_MS } from '@carillon/shared';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');
const statuses = async (id: number) => (await engine.runsOf(id)).map((run) => run.status);

async function everyMinute(policies: object) {
  const [id] = (await insertSchedules(database, [{ rule: { cron: '* * * * *' }, ...policies }], {
    nowAt: T0,
  })) as [number];
  const claim = async (minutes: number) =>
    (await engine.claim(T0 + minutes * MINUTE_MS)).filter((run) => run.scheduleId === id);
  const claimOne = async (minutes: number) => {
    const [run, ...more] = await claim(minutes);
    if (!run || more.length > 0) throw new Error(`expected one run, got ${run ? 1 + more.length : 0}`);
    return run;
  };
  return { id, claim, claimOne };
}

describe('Overlapping runs', () => {
  it('runs of one schedule may overlap unless a policy says otherwise', async () => {
    const { id, claim } = await everyMinute({});
    await claim(1);
    await claim(2);
    expect(await statuses(id)).toEqual(['running', 'running']);
  });

  it('overlap policy skip: a run that would overlap is skipped with the reason, and later occurrences run', async () => {
    const { id, claim, claimOne } = await everyMinute({ overlap: 'skip' });
    const first = await claimOne(1);
    expect(await claim(2)).toEqual([]);
    await engine.succeed(first, T0 + 2.5 * MINUTE_MS);
    await claimOne(3);
    expect(await statuses(id)).toEqual(['succeeded', 'skipped', 'running']);
    expect((await engine.runsOf(id))[1]).toMatchObject({
      reasonCode: 'overlap',
      reason: expect.stringContaining('still open'),
    });
  });

  it('overlap policy skip: a run is also skipped while the previous run waits for its retry', async () => {
    const { id, claim, claimOne } = await everyMinute({ overlap: 'skip', retry: { baseDelay: 'PT1H' } });
    await engine.fail(await claimOne(1), T0 + MINUTE_MS);
    expect(await claim(2)).toEqual([]);
    expect(await statuses(id)).toEqual(['retrying', 'skipped']);
  });

  it('overlap policy queue: runs that would overlap wait and start one after the other, oldest first', async () => {
    const { id, claim, claimOne } = await everyMinute({ overlap: 'queue' });
    const first = await claimOne(1);
    expect(await claim(2)).toEqual([]);
    expect(await claim(3)).toEqual([]);
    expect(await statuses(id)).toEqual(['running', 'queued', 'queued']);
    await engine.succeed(first, T0 + 3.1 * MINUTE_MS);
    expect(await promoteQueued(database.pool, [id], T0 + 3.2 * MINUTE_MS)).toBe(1);
    expect(await promoteQueued(database.pool, [id], T0 + 3.2 * MINUTE_MS)).toBe(0);
    const second = await claimOne(3.3);
    expect(second.occurrenceAt).toBe(T0 + 2 * MINUTE_MS);
    expect(await statuses(id)).toEqual(['succeeded', 'running', 'queued']);
  });

  it('overlap policy queue: if a worker is lost before it lets the next queued run start, the sweep finds the schedule, and that run starts', async () => {
    const { id, claim, claimOne } = await everyMinute({ overlap: 'queue' });
    const first = await claimOne(1);
    await claim(2);
    expect(await readStuckQueues(database.pool)).not.toContain(id);
    await engine.succeed(first, T0 + 2.1 * MINUTE_MS);
    // The worker was lost before it let the next queued run start. Later occurrences join the queue behind that run.
    expect(await claim(3)).toEqual([]);
    expect(await readStuckQueues(database.pool)).toContain(id);
    await promoteQueued(database.pool, [id], T0 + 3.1 * MINUTE_MS);
    expect((await claimOne(3.2)).occurrenceAt).toBe(T0 + 2 * MINUTE_MS);
    expect(await readStuckQueues(database.pool)).not.toContain(id);
  });

  it('overlap policy cancel: the next run replaces the previous one, and the late result of the previous run is refused', async () => {
    const { id, claimOne } = await everyMinute({ overlap: 'cancel' });
    const first = await claimOne(1);
    await claimOne(2);
    expect(await statuses(id)).toEqual(['cancelled', 'running']);
    expect(await engine.succeed(first, T0 + 2.1 * MINUTE_MS)).toBe(0);
    expect(await statuses(id)).toEqual(['cancelled', 'running']);
  });

  it('maxConcurrentRuns 2: two runs of a schedule start, and the third is queued', async () => {
    const { id, claim, claimOne } = await everyMinute({ maxConcurrentRuns: 2 });
    await claimOne(1);
    await claimOne(2);
    expect(await claim(3)).toEqual([]);
    expect(await statuses(id)).toEqual(['running', 'running', 'queued']);
    expect((await readInFlight(database.pool, id)).length).toBe(2);
  });

  it('overlap policy skip also applies to a triggered run', async () => {
    const { id, claim, claimOne } = await everyMinute({ overlap: 'skip' });
    await claimOne(1);
    await triggerSchedule(database.pool, { ref: { id }, actor: 'ops', now: T0 + 1.5 * MINUTE_MS });
    expect(await claim(1.6)).toEqual([]);
    expect(await engine.runsOf(id)).toMatchObject([
      { status: 'running' },
      { status: 'skipped', origin: 'trigger' },
    ]);
  });
});

describe('Dependencies', () => {
  it('a run with dependsOn starts if the other schedule has succeeded within the given time, and is otherwise skipped with the reason', async () => {
    await insertSchedules(
      database,
      [{ id: 'export', rule: { at: new Date(T0 + MINUTE_MS).toISOString() } }],
      {
        nowAt: T0,
      },
    );
    const { id, claim, claimOne } = await everyMinute({ dependsOn: { schedule: 'export', within: 'PT2M' } });
    const [exported] = (await engine.claim(T0 + MINUTE_MS)).filter((run) => run.scheduleKey === 'export');
    expect((await engine.runsOf(id))[0]).toMatchObject({ status: 'skipped', reasonCode: 'dependency' });
    if (!exported) throw new Error('nothing was claimed');
    await engine.succeed(exported, T0 + 1.5 * MINUTE_MS);
    await claimOne(2);
    await claimOne(3);
    expect(await claim(4)).toEqual([]);
    expect(await statuses(id)).toEqual(['skipped', 'running', 'running', 'skipped']);
  });
});
