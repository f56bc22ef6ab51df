import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const put = (body: { id: string }) => api.call('PUT', `/v1/schedules/${body.id}`, { body });
const plan = async (...items: unknown[]) =>
  (await api.call('POST', '/v1/schedules/plan', { body: { items } })).body.items;
const webhook = (authorization: string) => ({
  type: 'webhook',
  url: 'https://example.com/hook',
  headers: { authorization },
});

describe('POST /v1/schedules/plan', () => {
  it('POST /v1/schedules/plan tells apart schedules that are new, changed, unchanged, cancelled or invalid, and saves nothing', async () => {
    const kept = scheduleBody({ rule: { every: 'PT1H' }, payload: { a: 1 } });
    const changed = scheduleBody({ rule: { cron: '0 9 * * *' }, retry: { maxAttempts: 3 } });
    const cancelled = scheduleBody();
    await Promise.all([kept, changed, cancelled].map(put));
    await api.call('DELETE', `/v1/schedules/${cancelled.id}`);
    const edited = { ...changed, rule: { cron: '0 10 * * *' }, retry: { maxAttempts: 5 } };
    const unknown = scheduleBody({ id: 'planned-new' });
    const items = await plan(kept, edited, cancelled, unknown, {
      id: 'planned-bad',
      rule: { cron: '61 * * * *' },
    });
    expect(items).toMatchObject([
      { id: kept.id, action: 'keep', version: 1, status: 'active', changes: [], next: null },
      {
        id: changed.id,
        action: 'change',
        version: 1,
        changes: [
          { field: 'rule', before: { cron: '0 9 * * *' }, after: { cron: '0 10 * * *' } },
          { field: 'retry.maxAttempts', before: 3, after: 5 },
        ],
      },
      { id: cancelled.id, action: 'restore', status: 'cancelled', nextBefore: null },
      { id: 'planned-new', action: 'create', version: null, status: null, nextBefore: null },
      { id: 'planned-bad', action: 'invalid', errors: [{ field: 'rule.cron' }] },
    ]);
    expect(items[1].next).toHaveLength(5);
    expect(items[1].next[0]).toMatch(/T10:00:00.000Z$/);
    expect(items[1].nextBefore[4]).toMatch(/T09:00:00.000Z$/);
    expect((await api.call('GET', '/v1/schedules/planned-new')).status).toBe(404);
    expect((await api.call('GET', `/v1/schedules/${changed.id}`)).body).toMatchObject({ version: 1 });
  });

  it('POST /v1/schedules/plan marks a schedule without an id as invalid, and plans the other schedules', async () => {
    const [without, other] = await plan({ rule: { every: 'PT1H' } }, scheduleBody({ id: 'planned-other' }));
    expect(without).toMatchObject({ action: 'invalid', id: null, errors: [{ field: 'id' }] });
    expect(other).toMatchObject({ action: 'create' });
  });

  it('POST /v1/schedules/plan reports that a header or a secret of a schedule differs, without showing its value', async () => {
    const secret = `whsec_${btoa('x'.repeat(32))}`;
    const body = scheduleBody({ target: webhook('Bearer one'), secret });
    await put(body);
    expect(await plan(body)).toMatchObject([{ action: 'keep' }]);
    // Encrypting the same value again, as another replica does here, yields another text.
    const replica = await api.replica();
    expect((await api.call('PUT', `${replica}/v1/schedules/${body.id}`, { body })).body.version).toBe(1);
    const other = { ...body, target: webhook('Bearer two'), secret: `whsec_${btoa('y'.repeat(32))}` };
    const [planned] = await plan(other);
    expect(planned.changes).toEqual([
      { field: 'target.headers.authorization', before: '•••', after: '••• (another value)' },
      { field: 'secret', before: '•••', after: '••• (another value)' },
    ]);
    expect((await put(other)).body.version).toBe(2);
    const [withoutSecret] = await plan({ ...other, secret: null });
    expect(withoutSecret.changes).toEqual([{ field: 'secret', before: '•••', after: null }]);
  });

  it('POST /v1/schedules/plan answers 403 to a key without the scope write', async () => {
    const { key } = (await api.call('POST', '/v1/keys', { body: { name: 'reader', scopes: ['read'] } })).body;
    const refused = await api.call('POST', '/v1/schedules/plan', { body: { items: [{}] }, key });
    expect(refused.status).toBe(403);
  });
});

describe('Audit log', () => {
  it('if a schedule has the tag set:<name> of a schedule file, every entry about the schedule in the audit log names this set in managedBy', async () => {
    const body = scheduleBody({ tags: ['set:billing'] });
    await put(body);
    await put({ ...body, name: 'renamed' } as typeof body);
    await api.call('POST', `/v1/schedules/${body.id}/pause`, { body: {} });
    await api.call('DELETE', `/v1/schedules/${body.id}`);
    const entries = (await api.call('GET', `/v1/audit?subject=${body.id}`)).body.items;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'schedule.cancelled',
      'schedule.paused',
      'schedule.replaced',
      'schedule.created',
    ]);
    for (const { detail } of entries) expect(detail).toMatchObject({ managedBy: 'set billing' });
  });

  it('if a schedule has no tag set:<name>, its entries in the audit log have no managedBy', async () => {
    const body = scheduleBody();
    await put(body);
    const [entry] = (await api.call('GET', `/v1/audit?subject=${body.id}`)).body.items;
    expect(entry.detail).toBeNull();
  });
});
