import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const KIB = 1_024;

describe('Size limits', () => {
  it('an item of more than 256 KiB in a bulk create is refused, and the other items are created', async () => {
    const items = [
      scheduleBody({ payload: 'x'.repeat(300 * KIB) }),
      scheduleBody({ payload: 'x'.repeat(200 * KIB) }),
      scheduleBody({ name: 'y'.repeat(200), payload: { text: 'ü'.repeat(150 * KIB) } }),
    ];
    const { status, body } = await api.call('POST', '/v1/schedules/bulk', { body: { items } });
    expect(status).toBe(200);
    expect(body.items.map(({ result }: { result: string }) => result)).toEqual([
      'invalid',
      'created',
      'invalid',
    ]);
    expect(body.items[0].errors).toEqual([
      {
        field: 'items.0',
        code: 'invalid_value',
        message: 'expected at most 262144 bytes, the limit of a single request',
      },
    ]);
  });

  it('a page of schedules with large payloads stays below 5 MiB, and all pages together have every schedule', async () => {
    const key = await api.keyFor({ project: 'large' });
    const items = Array.from({ length: 40 }, () => scheduleBody({ payload: 'z'.repeat(250 * KIB) }));
    for (let from = 0; from < items.length; from += 20)
      await api.call('POST', '/v1/schedules/bulk', { key, body: { items: items.slice(from, from + 20) } });
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { text, body } = await api.call('GET', `/v1/schedules?limit=1000${page}`, { key });
      expect(text.length).toBeLessThan(5 * KIB * KIB);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    }
    expect(seen.sort()).toEqual(items.map(({ id }) => id).sort());
  });

  it('GET /v1/calendars returns its list in pages', async () => {
    const key = await api.keyFor({ project: 'dates' });
    for (const name of ['a', 'b', 'c'])
      await api.call('PUT', `/v1/calendars/${name}`, { key, body: { dates: ['2030-01-01'] } });
    const { body: first } = await api.call('GET', '/v1/calendars?limit=2', { key });
    const { body: second } = await api.call('GET', `/v1/calendars?cursor=${first.nextCursor}`, { key });
    const names = [...first.items, ...second.items].map(({ name }: { name: string }) => name);
    expect([names, second.nextCursor]).toEqual([['a', 'b', 'c'], null]);
  });

  it('a target whose headers exceed 16 KiB in total is refused', async () => {
    const headers = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`x-${n}`, 'v'.repeat(4_000)]));
    const target = { type: 'webhook', url: 'https://example.com/', headers };
    const { status, body } = await api.call('POST', '/v1/schedules', { body: scheduleBody({ target }) });
    expect([status, body.errors[0].field]).toEqual([400, 'target.headers']);
  });
});
