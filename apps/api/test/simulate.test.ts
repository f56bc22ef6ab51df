import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const FROM = '2098-03-03T08:00:00Z';
const TO = '2098-03-03T10:00:00Z';
const OUTAGE = { from: '2098-03-03T08:30:00Z', to: '2098-03-03T09:00:30Z' };
const simulate = (body: object) =>
  api.call('POST', '/v1/simulate', { body: { from: FROM, to: TO, ...body } });
const minutely = (id: string, more: object = {}) => ({
  id,
  rule: { cron: '* * * * *' },
  target: { type: 'webhook', url: 'https://example.com/hook' },
  ...more,
});
const countSchedules = async () => (await api.call('GET', '/v1/schedules?limit=1000')).body.items.length;

describe('POST /v1/simulate', () => {
  it('the simulation of an outage shows the result of each misfire policy, and saves nothing', async () => {
    const before = await countSchedules();
    const policies = ['once', 'all', 'skip'].map((policy) =>
      minutely(policy, { misfire: { policy, limit: 10 } }),
    );
    const { status, body } = await simulate({ schedules: policies, outages: [OUTAGE] });
    expect(status).toBe(200);
    // The occurrences from 08:30 to 09:00 are missed, and only the last of them is within its grace.
    expect(body.byMisfire.once).toMatchObject({ caughtUp: 0, skipped: { misfire: 30 } });
    expect(body.byMisfire.all.skipped.misfire + body.byMisfire.all.runs).toBe(120);
    expect(body.byMisfire.skip).toMatchObject({ caughtUp: 0, skipped: { misfire: 30 } });
    expect(body.gaps[0]).toMatchObject({ reasonCode: 'misfire', from: '2098-03-03T08:30:00.000Z' });
    expect(body.assumptions.length).toBeGreaterThan(0);
    expect(await countSchedules()).toBe(before);
  });

  it('in the simulation of an outage of a receiver, the circuit breaker of the receiver opens, and the runs that it defers are delivered after the outage', async () => {
    const { body } = await simulate({
      schedules: Array.from({ length: 40 }, (_, i) => minutely(`herd-${i}`)),
      to: '2098-03-03T09:30:00Z',
      outages: [
        { from: '2098-03-03T08:10:00Z', to: '2098-03-03T08:15:00Z', receiver: 'https://example.com' },
      ],
    });
    expect(body.circuitsOpened).toBe(1);
    const kinds = body.circuits.map(({ kind }: { kind: string }) => kind);
    expect(kinds.slice(0, 3)).toEqual(['opened', 'half_open', 'opened_again']);
    expect(kinds.slice(-2)).toEqual(['half_open', 'closed']);
    expect(body.circuits[0]).toMatchObject({ receiver: 'https://example.com' });
    expect(Date.parse(body.circuits.at(-1).at)).toBeGreaterThan(Date.parse('2098-03-03T08:15:00Z'));
    expect(body.total.deferred).toBeGreaterThan(100);
    expect(body.total.runs).toBe(body.total.occurrences);
  });

  it('if many runs are due at one instant, a simulation suggests a jitter and says how many runs per second the peak would then have', async () => {
    const schedules = Array.from({ length: 60 }, (_, i) =>
      minutely(`s-${i}`, { rule: { cron: '0 9 * * *' } }),
    );
    const { body } = await simulate({ schedules });
    expect(body.peak).toMatchObject({ at: '2098-03-03T09:00:00.000Z', perSecond: 60 });
    const [advice] = body.advice;
    expect(advice).toMatchObject({ kind: 'jitter', perSecond: 60, scheduleCount: 60 });
    const edits = [{ patch: { jitter: advice.jitter } }];
    const { body: spread } = await simulate({ schedules, edits });
    expect(spread.peak.perSecond).toBe(advice.perSecondAfter);
    expect(advice.perSecondAfter).toBeLessThanOrEqual(6);
  });

  it('a simulation can read the schedules of the project that match a filter, and apply edits to them that are not saved', async () => {
    const { body: stored } = await api.call('POST', '/v1/schedules', {
      body: scheduleBody({ rule: { cron: '15 * * * *' }, tags: ['simulated'] }),
    });
    const filter = { tag: 'simulated' };
    expect((await simulate({ filter })).body.total).toMatchObject({ schedules: 1, runs: 2 });
    const edits = [{ schedule: stored.id, patch: { rule: { cron: '*/10 * * * *' } } }];
    expect((await simulate({ filter, edits })).body.total).toMatchObject({ schedules: 1, runs: 12 });
    expect((await api.call('GET', `/v1/schedules/${stored.id}`)).body).toMatchObject({
      version: 1,
      rule: stored.rule,
    });
  });

  it('a simulation resumes a paused schedule when its pause ends within the range, and otherwise keeps the schedule paused', async () => {
    const ids = ['2098-03-03T08:59:30Z', '2098-03-03T10:00:01Z', null].map((until, i) => [
      `paused-${i}`,
      until,
    ]);
    for (const [id, until] of ids) {
      await api.call('POST', '/v1/schedules', {
        body: scheduleBody({ id, rule: { cron: '* * * * *' }, tags: ['paused-for-a-while'] }),
      });
      const body = until === null ? {} : { until };
      expect((await api.call('POST', `/v1/schedules/${id}/pause`, { body })).status).toBe(200);
    }
    const { body } = await simulate({ filter: { tag: 'paused-for-a-while' } });
    expect(body.paused).toBe(2);
    // One schedule goes on from 09:00 to 10:00.
    expect(body.total).toMatchObject({ schedules: 3, runs: 61, skipped: { paused: 60 } });
    expect(body.gaps).toMatchObject([{ schedule: 'paused-0', count: 60, reasonCode: 'paused' }]);
  });

  it('a simulation reads only schedules of the project of its key', async () => {
    const key = await api.keyFor({ project: 'sim-other' });
    const { body } = await api.call('POST', '/v1/simulate', { key, body: { from: FROM, to: TO } });
    expect(body.total.schedules).toBe(0);
  });

  it('a simulation that needs more than 200,000 steps is refused, and the error says so', async () => {
    const schedules = Array.from({ length: 50 }, (_, i) => minutely(`n-${i}`, { rule: { every: 'PT1S' } }));
    const { status, body } = await simulate({ schedules });
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({ field: 'to', message: expect.stringContaining('200000 steps') });
  });

  it('a simulation without `to` that begins in the last hours of the year 9999 ends with that year', async () => {
    const body = { from: '9999-12-31T23:50:00Z', schedules: [] };
    const answer = await api.call('POST', '/v1/simulate', { body });
    expect(answer.status).toBe(200);
    expect(answer.body.to).toBe('9999-12-31T23:59:59.999Z');
  });

  it.each([
    ['to', { to: FROM }],
    ['to', { to: '2099-04-03T08:00:00Z' }],
    ['outages.0.to', { outages: [{ from: TO, to: FROM }] }],
    ['schedules.0.rule.cron', { schedules: [minutely('x', { rule: { cron: '99 * * * *' } })] }],
    ['edits.0.schedule', { schedules: [], edits: [{ schedule: 'unknown', patch: {} }] }],
    ['edits.0.patch.rule.cron', { schedules: [minutely('x')], edits: [{ patch: { rule: { cron: 'x' } } }] }],
  ])('a simulation with an invalid %s is refused', async (field, body) => {
    const answer = await simulate(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
  });
});
