import { GroupCreates, openDatabase } from '@carillon/db';
import { draft, TcpProxy, useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const requester = (actor: string) => ({ projectId: database.projectId, actor, limits: {} });
const draftOf = (id: string, more: object = {}) => draft({ id, rule: { every: 'P1D' }, ...more }, Date.now());

describe('GroupCreates', () => {
  it('a hundred concurrent creates of schedules share a few statements (group commit), and each create gets its own result', async () => {
    const creates = new GroupCreates(database.pool);
    let statements = 0;
    const count = () => statements++;
    database.pool.on('acquire', count);
    const keys = Array.from({ length: 100 }, (_, i) => `group-${i}`);
    const created = await Promise.all(keys.map((key) => creates.create(requester('group'), draftOf(key))));
    database.pool.off('acquire', count);
    expect(created.every(({ kind }) => kind === 'created')).toBe(true);
    expect(statements).toBeLessThan(10);
    const { rows } = await database.pool.query(
      `select key, id::int from carillon.schedules where key like 'group-%'`,
    );
    const idOf = new Map(rows.map(({ key, id }) => [key, id]));
    expect(created.map((each) => (each.kind === 'created' ? Number(each.id) : null))).toEqual(
      keys.map((key) => idOf.get(key)),
    );
  });

  it('if creates are committed as a group, a caller whose create repeats an earlier create is told so, and a caller whose create conflicts with an earlier create is told so', async () => {
    const creates = new GroupCreates(database.pool);
    const create = (id: string, more?: object) => creates.create(requester('mixed'), draftOf(id, more));
    await create('mixed-1');
    const results = await Promise.all([
      create('mixed-1'),
      create('mixed-1', { name: 'other' }),
      create('mixed-2'),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['same', 'conflict', 'created']);
  });

  it('if creates are committed as a group, a schedule that Postgres refuses fails alone, and the other schedules are created', async () => {
    const creates = new GroupCreates(database.pool);
    const bad = { ...draftOf('refused'), payload: '"\\u0000"', name: 'a\u0000b' };
    const results = await Promise.allSettled([
      creates.create(requester('bad'), draftOf('good-1')),
      creates.create(requester('bad'), bad),
      creates.create(requester('bad'), draftOf('good-2')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('while Postgres does not answer, creates that are committed as a group all fail after one time-out, not one after the other', async () => {
    const proxy = await TcpProxy.before(database.url);
    const pool = openDatabase({
      url: proxy.url(database.url),
      max: 2,
      applicationName: 'carillon-test',
      connectTimeoutMs: 2_000,
      queryTimeoutMs: 2_000,
      onError: () => {},
    });
    const creates = new GroupCreates(pool);
    proxy.silence();
    // One after the other, the time-outs of a hundred creates would take longer than this test may take.
    const keys = Array.from({ length: 100 }, (_, i) => `silent-${i}`);
    const all = keys.map((key) => creates.create(requester('silent'), draftOf(key)));
    const statuses = (await Promise.allSettled(all)).map(({ status }) => status);
    expect(statuses).toEqual(Array(100).fill('rejected'));
    proxy.pass();
    expect((await creates.create(requester('silent'), draftOf('silent-0'))).kind).toBe('created');
    await pool.end();
    await proxy.close();
  });
});
