import { describe, expect, it } from 'vitest';
import { encodeCursor } from '../src/http/cursor.js';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const versions = (id: string, query = '', key?: string) =>
  api.call('GET', `/v1/schedules/${id}/versions${query}`, key === undefined ? {} : { key });

describe('GET /v1/schedules/:id/versions', () => {
  it('the versions of a schedule are listed newest first, each with its author and how it changed the next occurrences', async () => {
    const { id } = scheduleBody();
    const editor = await api.keyFor({ scopes: ['write'] });
    const body = scheduleBody({ id, rule: { cron: '0 9 1 1 *' }, payload: { n: 1 } });
    await api.call('POST', '/v1/schedules', { body });
    // A pause increases the version and creates no definition.
    await api.call('POST', `/v1/schedules/${id}/pause`);
    const patch = { rule: { cron: '0 10 1 1 *' }, payload: { n: 2 } };
    await api.call('PATCH', `/v1/schedules/${id}`, { key: editor, body: patch });
    const answer = await versions(id);
    expect(answer.status).toBe(200);
    const [now, before, ...others] = answer.body.items;
    expect(others).toEqual([]);
    expect(now).toMatchObject({
      version: 3,
      rule: patch.rule,
      payload: { n: 2 },
      definedBy: 'default-test',
      supersededAt: null,
    });
    expect(before).toMatchObject({ version: 1, rule: body.rule, payload: { n: 1 }, definedBy: 'admin' });
    expect(before.supersededAt).toBe(now.definedAt);
    expect(now.next).toHaveLength(5);
    for (const at of now.next) expect(at).toContain('-01-01T10:00:00.000Z');
    for (const at of now.nextBefore) expect(at).toContain('-01-01T09:00:00.000Z');
    expect(before.nextBefore).toBeNull();
  });

  it('the versions of a schedule come in pages, and the last version of a page is compared with the next older one, which is on the next page', async () => {
    const { id } = scheduleBody();
    await api.call('POST', '/v1/schedules', { body: scheduleBody({ id }) });
    for (const hour of [10, 11, 12, 13])
      await api.call('PATCH', `/v1/schedules/${id}`, { body: { rule: { cron: `0 ${hour} 1 1 *` } } });
    const seen: number[] = [];
    let cursor = '';
    do {
      const { body } = await versions(id, `?limit=2${cursor}`);
      for (const { version, nextBefore } of body.items) {
        seen.push(version);
        expect(nextBefore === null).toBe(version === 1);
      }
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });

  it('a cursor beyond the largest possible version lists all versions of a schedule', async () => {
    const { id } = scheduleBody();
    await api.call('POST', '/v1/schedules', { body: scheduleBody({ id }) });
    const { body } = await versions(id, `?cursor=${encodeCursor(Number.MAX_SAFE_INTEGER)}`);
    expect(body.items.map(({ version }: { version: number }) => version)).toEqual([1]);
  });

  it('a page of versions of a schedule ends at 4 MiB, and its cursor leads to the other versions', async () => {
    const { id } = scheduleBody();
    const text = 'x'.repeat(200_000);
    await api.call('POST', '/v1/schedules', { body: scheduleBody({ id, payload: { text } }) });
    for (let n = 0; n < 25; n++)
      await api.call('PATCH', `/v1/schedules/${id}`, { body: { payload: { text, n } } });
    const first = await versions(id);
    expect(first.body.items.length).toBeLessThan(26);
    expect(first.body.items.at(-1).nextBefore).not.toBeNull();
    const rest = await versions(id, `?cursor=${first.body.nextCursor}`);
    expect(first.body.items.length + rest.body.items.length).toBe(26);
    expect(rest.body.nextCursor).toBeNull();
  });

  it('no version of a schedule, not even an old one, shows a secret of its target', async () => {
    const { id } = scheduleBody();
    const target = (token: string) => ({
      type: 'webhook',
      url: 'https://example.com/hook',
      headers: { authorization: token },
    });
    await api.call('POST', '/v1/schedules', { body: scheduleBody({ id, target: target('s3cret-old') }) });
    await api.call('PATCH', `/v1/schedules/${id}`, { body: { target: target('s3cret-new') } });
    const { text, body } = await versions(id);
    expect(body.items).toHaveLength(2);
    expect(text).not.toContain('s3cret');
  });
});
