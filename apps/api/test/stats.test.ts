import { computeStats, forgetOld, replayRun } from '@carillon/db';
import { MINUTE_MS } from '@carillon/shared';
import { insertSchedules, useEngine } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);
const iso = (at: number) => new Date(at).toISOString();

/**
 * Two hours ago, at a whole minute. The tests can work in the past, because every statement takes the time as an
 * argument.
 */
const startAt = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 120 * MINUTE_MS;
const at = (minute: number, second = 0) => startAt + minute * MINUTE_MS + second * 1_000;

async function claimAt(now: number, count: number) {
  const rule = { at: iso(now) };
  const retry = { maxAttempts: 1 };
  const inputs = Array.from({ length: count }, () => ({ rule, retry }));
  await insertSchedules(api.database, inputs, { nowAt: now - 1_000 });
  return engine.claim(now);
}

const stats = async (query: Record<string, string>, key?: string) => {
  const options = key === undefined ? {} : { key };
  const { status, body } = await api.call('GET', `/v1/stats?${new URLSearchParams(query)}`, options);
  expect(status).toBe(200);
  return body;
};
const ofMinute = async (minute: number) =>
  (await stats({ from: iso(at(minute)), to: iso(at(minute + 1)) })).items[0];
const computeUntil = async (now: number) => {
  for (let n = 0; n < 30; n++) await computeStats(api.database.pool, now);
};

beforeAll(async () => {
  // Marks the statistics as computed up to the start of the test.
  await api.database.pool.query('update carillon.installation set stats_until = $1', [iso(startAt)]);
});

describe('GET /v1/stats', () => {
  it('GET /v1/stats counts the runs of each minute by outcome, with quantiles of lateness, and a failure in the minute of its end', async () => {
    const [late, failing, ...rest] = await claimAt(at(1, 10), 12);
    if (!late || !failing) throw new Error('nothing was claimed');
    await engine.closeAll(
      rest.map((run) => ({ run, outcome: { kind: 'succeeded' } })),
      at(1, 11),
    );
    await engine.fail(failing, at(2, 5));
    await engine.succeed(late, at(1, 12));
    await api.database.pool.query(
      `update carillon.runs set lateness_ms = case when schedule_id = $1 then 700 else 4 end where status = 'succeeded'`,
      [late.scheduleId],
    );
    await computeUntil(at(4));
    expect(await ofMinute(1)).toEqual({
      at: iso(at(1)),
      succeeded: 11,
      failed: 0,
      skipped: 0,
      cancelled: 0,
      running: 0,
      lateness: { count: 11, p50Ms: 5, p99Ms: 1_000 },
    });
    expect(await ofMinute(2)).toMatchObject({ succeeded: 0, failed: 1 });
    expect((await ofMinute(3)).lateness).toEqual({ count: 0, p50Ms: null, p99Ms: null });
  });

  it('GET /v1/stats counts a quick success (under 2 s) in the minute of its claim, even if the statistics were computed before the run was closed', async () => {
    const [long] = await claimAt(at(10), 1);
    if (!long) throw new Error('nothing was claimed');
    await computeUntil(at(13));
    expect(await ofMinute(10)).toMatchObject({ succeeded: 0, running: 1 });
    await engine.succeed(long, at(20));
    await computeUntil(at(30));
    expect(await ofMinute(10)).toMatchObject({ succeeded: 1, running: 0 });
  });

  it('GET /v1/stats still counts a failure after its run was replayed, even if the statistics of the minute are computed again', async () => {
    const [failing, long] = await claimAt(at(40), 2);
    if (!failing || !long) throw new Error('nothing was claimed');
    await engine.fail(failing, at(40, 30));
    await computeUntil(at(42));
    expect(await ofMinute(40)).toMatchObject({ failed: 1, running: 1 });
    await replayRun(api.database.pool, { projectId: api.database.projectId, run: failing, actor: 'test' });
    await engine.succeed(long, at(44));
    await computeUntil(at(60));
    expect(await ofMinute(40)).toMatchObject({ failed: 1, succeeded: 1, running: 0 });
  });

  it('the statistics of a minute do not change if they are computed again after a crash', async () => {
    const runs = await claimAt(at(70), 3);
    await engine.closeAll(
      runs.map((run) => ({ run, outcome: { kind: 'succeeded' } })),
      at(70, 1),
    );
    await computeUntil(at(72));
    // Simulates a crash: the statistics are written, but the instant up to which they were computed is not.
    await api.database.pool.query('update carillon.installation set stats_until = $1', [iso(at(69))]);
    await computeUntil(at(75));
    expect(await ofMinute(70)).toMatchObject({ succeeded: 3 });
  });

  it('GET /v1/stats counts the runs of minutes for which no statistics are stored yet', async () => {
    const nowAt = Date.now();
    await computeUntil(nowAt - 90_000);
    const runs = await claimAt(nowAt, 2);
    await engine.closeAll(
      runs.map((run) => ({ run, outcome: { kind: 'succeeded' } })),
      nowAt,
    );
    const body = await stats({ from: iso(nowAt - MINUTE_MS), to: iso(nowAt + MINUTE_MS) });
    expect(body).toMatchObject({ complete: true, total: { succeeded: runs.length } });
  });

  it('GET /v1/stats with a longer step sums the minutes of each step into one item, and adds totals', async () => {
    const body = await stats({ from: iso(at(0)), to: iso(at(120)), step: 'PT30M' });
    expect(body.step).toBe('PT30M');
    const [first] = body.items;
    expect(Date.parse(first.at) % (30 * MINUTE_MS)).toBe(0);
    const sum = body.items.reduce(
      (total: number, { succeeded }: { succeeded: number }) => total + succeeded,
      0,
    );
    expect(body.total.succeeded).toBe(sum);
    expect(sum).toBeGreaterThanOrEqual(16);
  });

  it('GET /v1/stats shows only runs of the caller’s own project', async () => {
    const key = await api.keyFor({ project: 'other', scopes: ['read'] });
    const { total } = await stats({ from: iso(at(0)), to: iso(at(120)) }, key);
    expect(total).toMatchObject({ succeeded: 0, failed: 0, running: 0 });
  });

  it.each([
    ['step=PT90S', 'step'],
    ['step=PT1S', 'step'],
    ['from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z', 'step'],
    ['from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
  ])('GET /v1/stats?%s is refused, and the error names %s', async (query, field) => {
    const { status, body } = await api.call('GET', `/v1/stats?${query}`);
    expect(status).toBe(400);
    expect(body.errors[0].field).toBe(field);
  });

  it('GET /v1/stats with an end in the year 9999 returns the minutes up to the current one, and none of the future', async () => {
    const before = Date.now();
    const { status, body } = await api.call('GET', '/v1/stats?to=9999-12-31T23:59:59.999Z');
    expect(status).toBe(200);
    expect(body.items.length).toBeLessThanOrEqual(61);
    const latestAt = Date.parse(body.items.at(-1).at);
    expect(latestAt).toBeGreaterThan(before - 2 * MINUTE_MS);
    expect(latestAt).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(body.to)).toBe(latestAt + MINUTE_MS);
  });

  it('retention deletes exactly the statistics of minutes older than 35 days', async () => {
    const count = async () =>
      (await api.database.pool.query('select from carillon.run_stats')).rowCount as number;
    const before = await count();
    expect(before).toBeGreaterThan(0);
    await forgetOld(api.database.pool, { now: at(0) + 34 * 86_400_000, only: ['run_stats'] });
    expect(await count()).toBe(before);
    await forgetOld(api.database.pool, { now: at(200) + 36 * 86_400_000, only: ['run_stats'] });
    expect(await count()).toBe(0);
  });
});
