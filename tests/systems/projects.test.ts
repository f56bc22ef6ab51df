import { useDatabase } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Program, usePrograms } from '../use-programs.js';
import { useHttp } from './http.js';

const database = useDatabase();
const programs = usePrograms(database);
let api: Program & { url: string };
let ours: ReturnType<typeof useHttp>;
let theirs: ReturnType<typeof useHttp>;

beforeAll(async () => {
  api = await programs.api();
  ours = useHttp(() => api.url);
  await ours('POST', '/v1/projects', { id: 'other' });
  const made = await ours('POST', '/v1/keys', { name: 'other', scopes: ['admin'], project: 'other' });
  theirs = useHttp(() => api.url, made.body.key);
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const RESOURCES = [
  ['users', { firstName: 'Ada', lastName: 'Lovelace', dateOfBirth: '1990-12-10', timezone: 'UTC' }],
  ['reminders', { message: 'x', recipient: 'y', at: '2099-01-01T00:00:00Z' }],
  ['tasks', { title: 'x', dueAt: inAnHour() }],
  ['templates', { id: 'ours', rule: { every: 'PT1H' } }],
] as const;

describe('Projects', () => {
  it.each(RESOURCES)(
    '%s of one project can’t be read, listed, edited or deleted from another project (invariant I9)',
    async (kind, input) => {
      const { status, body } = await ours('POST', `/v1/${kind}`, input);
      expect(status).toBe(201);
      const path = `/v1/${kind}/${body.id}`;
      expect((await ours('GET', path)).status).toBe(200);
      expect((await theirs('GET', path)).status).toBe(404);
      expect((await theirs('DELETE', path)).status).toBe(404);
      if (kind !== 'reminders') expect((await theirs('PUT', path, {})).status).toBe(404);
      const ids = (await theirs('GET', `/v1/${kind}`)).body.items.map(({ id }: { id: string }) => id);
      expect(ids).not.toContain(body.id);
      expect((await ours('GET', path)).status).toBe(200);
    },
  );

  it('POST /v1/tasks/scan sends only reminders of tasks of the caller’s project (invariant I9)', async () => {
    expect((await theirs('POST', '/v1/tasks/scan')).body).toMatchObject({ due: 0, sent: 0 });
    expect((await ours('POST', '/v1/tasks/scan')).body).toMatchObject({ due: 1, sent: 1 });
  });

  it('a schedule cannot be created from a template of another project (invariant I9)', async () => {
    const target = { type: 'handler', name: 'noop' };
    const { status, body } = await theirs('POST', '/v1/schedules', { template: 'ours', target });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ field: 'template' }]);
    expect((await ours('POST', '/v1/schedules', { template: 'ours', target })).status).toBe(201);
  });
});
