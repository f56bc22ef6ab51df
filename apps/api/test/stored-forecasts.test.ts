import { storeForecast } from '@carillon/db';
import { HOUR_MS, MINUTE_MS } from '@carillon/shared';
import { eventually, insertSchedules } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApi } from './use-api.js';

const api = useApi();
const minuteIn = (ms: number) =>
  new Date(Math.floor((Date.now() + ms) / MINUTE_MS) * MINUTE_MS).toISOString();

const forecast = async () => (await api.call('GET', '/v1/forecast')).body;
const minute = async (at: string) => (await api.call('GET', `/v1/forecast/minute?at=${at}`)).body;
/** Stores a forecast as a worker would have stored it some time ago. */
const store = async (agoMs: number) => {
  const nowAt = Date.now() - agoMs;
  await storeForecast(api.database.pool, { projectId: api.database.projectId, nowAt });
  return new Date(nowAt).toISOString();
};
/** The forecast that the API computes itself. On a busy machine, its first answer may be incomplete. */
const counted = async () => {
  await api.database.pool.query('delete from carillon.forecasts');
  return eventually(async () => {
    const answer = await forecast();
    return answer.complete && answer;
  });
};

beforeAll(async () => {
  await insertSchedules(api.database, [
    { id: 'hourly', rule: { cron: '7 * * * *' } },
    { id: 'daily', rule: { cron: '30 4 * * *' } },
    { id: 'often', rule: { every: 'PT90S' } },
    { id: 'thrice', rule: { every: 'PT1H' }, maxRuns: 3 },
    { id: 'once', rule: { at: minuteIn(5 * HOUR_MS) } },
  ]);
});

describe('stored forecast', () => {
  it('GET /v1/forecast gives the same answer from a forecast that a worker has stored as from its own counting', async () => {
    const { minutes: own } = await counted();
    await store(0);
    const { minutes: stored, complete } = await forecast();
    expect(complete).toBe(true);
    // The answers begin and end a moment apart, so the first and the last minutes of one may be missing in the other.
    const inBoth = stored.slice(2, -2);
    const from = own.findIndex(({ at }: { at: string }) => at === inBoth[0].at);
    expect(inBoth).toEqual(own.slice(from, from + inBoth.length));
    expect(inBoth.length).toBeGreaterThan(900);
  });

  it('GET /v1/forecast says when a stored forecast was counted, and leaves out later changes', async () => {
    const computedAt = await store(10_000);
    const before = await forecast();
    expect(before.computedAt).toBe(computedAt);
    await insertSchedules(api.database, [{ id: 'new', rule: { cron: '8 * * * *' } }]);
    expect((await forecast()).total).toBe(before.total);
    await store(0);
    expect((await forecast()).total).toBeGreaterThanOrEqual(before.total + 22);
  });

  it('GET /v1/forecast counts the fires itself if the stored forecast is older than five minutes', async () => {
    const fourMinutesAgo = await store(4 * MINUTE_MS);
    expect((await forecast()).computedAt).toBe(fourMinutesAgo);
    const sixMinutesAgo = await store(6 * MINUTE_MS);
    expect((await forecast()).computedAt).not.toBe(sixMinutesAgo);
  });

  it('GET /v1/forecast/minute finds the schedules that fire in a minute through the stored groups of schedules with the same rule', async () => {
    await store(0);
    const at = new Date(
      Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 3 * HOUR_MS + 7 * MINUTE_MS,
    ).toISOString();
    const answer = await minute(at);
    expect(answer.complete).toBe(true);
    expect(answer.schedules.map(({ id }: { id: string }) => id)).toContain('hourly');
    // The stored list of groups is emptied. The API then finds no schedule, which shows that it reads this list instead
    // of counting the fires itself.
    await api.database.pool.query(
      `update carillon.forecasts set groups = '[]', computed_at = computed_at + interval '1 ms'`,
    );
    const { schedules } = await minute(at);
    expect(schedules.map(({ id }: { id: string }) => id)).not.toContain('hourly');
  });

  it('GET /v1/forecast/minute reads the groups of schedules of one stored forecast only once', async () => {
    await store(0);
    const at = minuteIn(3 * HOUR_MS);
    await minute(at);
    // This text can't be parsed, so if the API read the groups again, the answer would be an error.
    await api.database.pool.query(`update carillon.forecasts set groups = 'unreadable'`);
    expect((await minute(at)).complete).toBe(true);
  });

  it('GET /v1/forecast/minute leaves out a rule that can no longer be evaluated, and marks its response as incomplete', async () => {
    const input = { id: 'broken', rule: { cron: '7 * * * *' }, timezone: 'Europe/Berlin' };
    const [id] = await insertSchedules(api.database, [input]);
    await api.database.pool.query(
      `update carillon.schedules set timing = replace(timing, 'Europe/Berlin', 'Mars/Base') where id = $1`,
      [id],
    );
    const at = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 3 * HOUR_MS + 7 * MINUTE_MS);
    await store(0);
    const { complete, schedules } = await minute(at.toISOString());
    expect(complete).toBe(false);
    const ids = schedules.map((each: { id: string }) => each.id);
    expect(ids).toContain('hourly');
    expect(ids).not.toContain('broken');
    await api.database.pool.query('delete from carillon.agenda where schedule_id = $1', [id]);
  });

  it('GET /v1/forecast of one project does not read the stored forecast of another', async () => {
    const key = await api.keyFor({ project: 'other' });
    await store(0);
    expect((await api.call('GET', '/v1/forecast', { key })).body.total).toBe(0);
  });
});
