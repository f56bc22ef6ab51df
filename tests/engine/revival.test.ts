import { type ClaimedRun, cancelSchedule, editSchedule, replaceSchedule } from '@carillon/db';
import { MINUTE_MS } from '@carillon/shared';
import { draft, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2030-03-01T09:00:00Z');
const iso = (at: number) => new Date(at).toISOString();

/** A schedule that fires every minute, first at T0 + 1 minute. */
async function everyMinute(key: string, more: object = {}) {
  const input = { id: key, rule: { every: 'PT1M' }, ...more };
  const [id] = (await insertSchedules(database, [input], { nowAt: T0 })) as [number];
  return { id, change: (now: number) => ({ ref: { id }, actor: 'ops', now }) };
}

async function claimOf(id: number, at: number): Promise<ClaimedRun | undefined> {
  return (await engine.claim(at)).find(({ scheduleId }) => scheduleId === id);
}

const skippedOf = async (id: number) =>
  (await engine.runsOf(id))
    .filter(({ status }) => status === 'skipped')
    .map(({ occurrenceAt }) => occurrenceAt);

async function gapsOf(id: number): Promise<[number, number, number][]> {
  const { rows } = await database.pool.query<{ from: number; to: number; count: number }>(
    'select from_at as "from", to_at as "to", count from carillon.gaps where schedule_id = $1 order by from_at',
    [id],
  );
  return rows.map(({ from, to, count }) => [from, to, count]);
}

const minutes = (...all: number[]) => all.map((minute) => T0 + minute * MINUTE_MS);
const CANCELLED_AT = T0 + 30_000;
/** The definition of a one-shot, as a PUT passes it on. */
const once = (at: number, now: number) => ({ ...draft({ rule: { at: iso(at) } }, now), limits: {} });

describe('a revived schedule', () => {
  it.each([
    ['the first', 1, minutes(2, 3, 4, 5)],
    ['a middle', 3, minutes(1, 2, 4, 5)],
    ['the last', 5, minutes(1, 2, 3, 4)],
  ])(
    'a PUT that turns a cancelled schedule into a one-shot at %s instant missed since the cancel runs that instant, and the other missed instants are skipped',
    async (name, minute, skipped) => {
      const { id, change } = await everyMinute(`once at ${name}`);
      await cancelSchedule(database.pool, change(CANCELLED_AT));
      const now = T0 + 5.5 * MINUTE_MS;
      const at = T0 + minute * MINUTE_MS;
      await replaceSchedule(database.pool, change(now), once(at, now));
      expect(await skippedOf(id)).toEqual(skipped);
      expect((await claimOf(id, now))?.occurrenceAt).toBe(at);
    },
  );

  it.each([
    ['the first', 1, [[2, 300, 299]]],
    [
      'a middle',
      150,
      [
        [1, 149, 149],
        [151, 300, 150],
      ],
    ],
    ['the last', 300, [[1, 299, 299]]],
  ])(
    'a PUT that turns a cancelled schedule into a one-shot at %s instant of 300 missed since the cancel runs it, and no gap covers it',
    async (name, minute, expected) => {
      const { id, change } = await everyMinute(`once at ${name} of many`);
      await cancelSchedule(database.pool, change(CANCELLED_AT));
      const now = T0 + 300.5 * MINUTE_MS;
      const at = T0 + minute * MINUTE_MS;
      await replaceSchedule(database.pool, change(now), once(at, now));
      expect(await gapsOf(id)).toEqual(
        expected.map(([from = 0, to = 0, count]) => [T0 + from * MINUTE_MS, T0 + to * MINUTE_MS, count]),
      );
      expect((await claimOf(id, now))?.occurrenceAt).toBe(at);
    },
  );

  it('if a PUT turns a cancelled schedule into a one-shot at a past instant outside its old rule, that instant runs and is not recorded as skipped', async () => {
    const { id, change } = await everyMinute('between');
    await cancelSchedule(database.pool, change(CANCELLED_AT));
    const now = T0 + 300.5 * MINUTE_MS;
    const at = T0 + 150 * MINUTE_MS + 7_000;
    await replaceSchedule(database.pool, change(now), once(at, now));
    expect((await gapsOf(id)).map(([, , count]) => count)).toEqual([150, 150]);
    expect((await claimOf(id, now))?.occurrenceAt).toBe(at);
  });

  it('an edit that turns a finished schedule into a one-shot at a past instant runs that instant, and the other instants since it finished are skipped', async () => {
    const { id, change } = await everyMinute('finished', { maxRuns: 1 });
    const first = await claimOf(id, T0 + MINUTE_MS);
    await engine.succeed(first as ClaimedRun, T0 + MINUTE_MS);
    const now = T0 + 5.5 * MINUTE_MS;
    const at = T0 + 3 * MINUTE_MS;
    await editSchedule(database.pool, change(now), draft({ rule: { at: iso(at) } }, now));
    expect(await skippedOf(id)).toEqual(minutes(2, 4, 5));
    expect((await claimOf(id, now))?.occurrenceAt).toBe(at);
  });

  it('a PUT revives a cancelled schedule whose old rule can no longer be evaluated, and records no occurrences of that rule', async () => {
    const { id, change } = await everyMinute('broken', {
      rule: { cron: '* * * * *' },
      timezone: 'Europe/Berlin',
    });
    await cancelSchedule(database.pool, change(CANCELLED_AT));
    await database.pool.query(
      `update carillon.schedules set timing = replace(timing, 'Europe/Berlin', 'Mars/Base') where id = $1`,
      [id],
    );
    const now = T0 + 5.5 * MINUTE_MS;
    const next = { ...draft({ rule: { every: 'PT1H' } }, now), limits: {} };
    expect(await replaceSchedule(database.pool, change(now), next)).toMatchObject({ kind: 'changed' });
    expect(await skippedOf(id)).toEqual([]);
    expect((await claimOf(id, now + 60 * MINUTE_MS))?.occurrenceAt).toBe(now + 60 * MINUTE_MS);
  });
});

describe('a schedule whose rule can no longer be evaluated', () => {
  async function broken(key: string) {
    const more = { rule: { cron: '* * * * *' }, timezone: 'Europe/Berlin' };
    const created = await everyMinute(key, more);
    await database.pool.query(
      `update carillon.schedules set timing = replace(timing, 'Europe/Berlin', 'Mars/Base') where id = $1`,
      [created.id],
    );
    return created;
  }
  const now = T0 + 5.5 * MINUTE_MS;

  it.each([
    ['paused by the claim', true],
    ['due and not claimed yet', false],
  ])(
    'an edit of a schedule that has a broken rule and is %s is applied, and its pending occurrence is recorded as skipped',
    async (name, isClaimed) => {
      const { id, change } = await broken(`edited, ${name}`);
      if (isClaimed) await engine.claim(T0 + MINUTE_MS);
      const edited = draft({ rule: { every: 'PT1H' } }, now);
      expect(await editSchedule(database.pool, change(now), edited)).toMatchObject({ kind: 'changed' });
      expect(await skippedOf(id)).toEqual(minutes(1));
    },
  );

  it.each([
    ['paused by the claim', true],
    ['due and not claimed yet', false],
  ])(
    'a schedule that has a broken rule and is %s can be cancelled, and its pending occurrence is recorded as skipped',
    async (name, isClaimed) => {
      const { id, change } = await broken(`cancelled, ${name}`);
      if (isClaimed) await engine.claim(T0 + MINUTE_MS);
      expect(await cancelSchedule(database.pool, change(now))).toMatchObject({ kind: 'changed' });
      expect(await skippedOf(id)).toEqual(minutes(1));
    },
  );
});
