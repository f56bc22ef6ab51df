import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();

describe('GET /v1/rules/lint', () => {
  it('GET /v1/rules/lint lists schedules with an occurrence in a DST gap or overlap, and says what happens to the occurrence', async () => {
    const berlin = (id: string, rule: object, more: object = {}) =>
      api.call('POST', '/v1/schedules', {
        body: scheduleBody({ id, rule, timezone: 'Europe/Berlin', ...more }),
      });
    await berlin('in-the-gap', { cron: '30 2 * * *' });
    await berlin('skips-the-gap', { cron: '15 2 * * *' }, { dst: { gap: 'skip', overlap: 'both' } });
    await berlin('at-noon', { cron: '0 12 * * *' });
    await berlin('every-hour', { cron: '30 * * * *' });
    await api.call('POST', '/v1/schedules', {
      body: scheduleBody({ id: 'utc', rule: { cron: '30 2 * * *' } }),
    });
    const { status, body } = await api.call('GET', '/v1/rules/lint');
    expect(status).toBe(200);
    expect(body.items.map(({ schedule }: { schedule: string }) => schedule).sort()).toEqual([
      'in-the-gap',
      'skips-the-gap',
    ]);
    const changesOf = (id: string) =>
      body.items.find((item: { schedule: string }) => item.schedule === id).changes;
    expect(changesOf('in-the-gap')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          kind: 'gap',
          fires: true,
          effect: expect.stringContaining('fires at 03:00'),
        }),
        expect.objectContaining({
          kind: 'overlap',
          fires: true,
          effect: expect.stringContaining('happens twice'),
        }),
      ]),
    );
    const skipping = changesOf('skips-the-gap');
    expect(skipping).toHaveLength(3);
    expect(skipping).toContainEqual(expect.objectContaining({ kind: 'gap', fires: false }));
  });

  it('GET /v1/rules/lint returns its result in pages, and the last page has no cursor', async () => {
    const first = await api.call('GET', '/v1/rules/lint?limit=1');
    expect(first.body.items).toHaveLength(1);
    const rest = await api.call('GET', `/v1/rules/lint?cursor=${first.body.nextCursor}`);
    expect(rest.body.items).toHaveLength(1);
    expect(rest.body.nextCursor).toBeNull();
  });
});
