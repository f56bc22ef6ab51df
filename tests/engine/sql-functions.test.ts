import { migrate, openDatabase, pauseSchedule, resumeEnded } from '@carillon/db';
import { insertSchedules, inUserTransaction, useDatabase, useEngine, useRole } from '@carillon/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const app = useRole(database);
const stranger = useRole(database);
const NOOP = `target => '{"type":"handler","name":"noop"}'`;

interface RequestRow {
  project: string;
  action: string;
  key: string;
  body: { rule?: Record<string, string>; target?: unknown; payload?: unknown } | null;
  actor: string;
}

async function requestsFor(key: string): Promise<RequestRow[]> {
  const { rows } = await database.pool.query<RequestRow>(
    `select p.key as project, r.action, r.key, r.body, r.actor
     from carillon.sql_requests r join carillon.projects p on p.id = r.project_id where r.key = $1 order by r.id`,
    [key],
  );
  return rows;
}

const owner = (text: string, values: unknown[] = []) => database.pool.query(text, values);

beforeAll(async () => {
  await owner(`insert into carillon.projects (key, name) values ('billing', 'Billing'), ('other', 'Other')`);
  await owner(`select carillon.bind_role($1, 'billing')`, [app.name]);
  await owner(`grant usage on schema carillon to ${stranger.name}`);
  await owner(`grant execute on function carillon.schedule to ${stranger.name}`);
});

describe('carillon.schedule', () => {
  it('carillon.schedule writes its request in the user’s transaction: a rollback leaves nothing, and a commit leaves one row', async () => {
    const call = `select carillon.schedule(id => 'tx-1', at => '2030-01-01T00:00:00Z', ${NOOP}, payload => '{"n":1}')`;
    await inUserTransaction(app.client, 'rollback', (tx) => tx.query(call));
    expect(await requestsFor('tx-1')).toEqual([]);
    await inUserTransaction(app.client, 'commit', (tx) => tx.query(call));
    expect(await requestsFor('tx-1')).toEqual([
      {
        project: 'billing',
        action: 'schedule',
        key: 'tx-1',
        body: {
          rule: { at: '2030-01-01T00:00:00.000Z' },
          target: { type: 'handler', name: 'noop' },
          payload: { n: 1 },
        },
        actor: `sql:${app.name}`,
      },
    ]);
  });

  it('the argument `at` of carillon.schedule is rounded up to milliseconds, so that nothing fires early', async () => {
    await owner(`select carillon.schedule(id => 'round-1', at => '2030-01-01T00:00:00.000001Z', ${NOOP})`);
    expect((await requestsFor('round-1'))[0]?.body?.rule).toEqual({ at: '2030-01-01T00:00:00.001Z' });
  });

  it('carillon.schedule converts intervals of Postgres to ISO 8601 durations, whatever the session’s interval style', async () => {
    await inUserTransaction(app.client, 'commit', async (tx) => {
      await tx.query(`set local intervalstyle = 'postgres_verbose'`);
      await tx.query(`select carillon.schedule(id => 'every-1', every => '90 minutes', ${NOOP})`);
      await tx.query(`select carillon.schedule(id => 'in-1', "in" => interval '1 day 2 hours', ${NOOP})`);
    });
    expect((await requestsFor('every-1'))[0]?.body?.rule).toEqual({ every: 'PT1H30M' });
    expect((await requestsFor('in-1'))[0]?.body?.rule).toEqual({ in: 'P1DT2H' });
  });

  it.each([
    ['no rule', `id => 'bad'`, 'rule: expected exactly one of at, in, every, cron, rrule'],
    ['two rules', `id => 'bad', at => now(), cron => '* * * * *'`, 'rule: expected exactly one'],
    ['an infinite time', `id => 'bad', at => 'infinity'`, 'at: expected a finite time'],
    ['an interval of zero', `id => 'bad', every => '0 seconds'`, 'every: expected a positive interval'],
    [
      'a negative delay',
      `id => 'bad', "in" => '-1 seconds'`,
      'in: expected an interval that is not negative',
    ],
    ['no id', `id => null, at => now()`, 'id: expected 1 to 128 letters'],
    ['an id with a quote', `id => 'a''; drop table x; --', at => now()`, 'id: expected 1 to 128 letters'],
    ['an id with a line break', `id => E'a\\n', at => now()`, 'id: expected 1 to 128 letters'],
    ['an id of Carillon’s own', `id => 'rem_1', at => now()`, 'id: expected an id that does not begin with'],
    [
      'an unknown type of target',
      `id => 'bad', at => now(), target => '{"type":"fax"}'`,
      'target: expected an object',
    ],
    [
      'a target that is no object',
      `id => 'bad', at => now(), target => '"webhook"'`,
      'target: expected an object',
    ],
    [
      'options that are no object',
      `id => 'bad', at => now(), options => '[]'`,
      'options: expected an object',
    ],
    [
      'an option that is an argument',
      `id => 'bad', at => now(), options => '{"rule":{"at":"x"}}'`,
      'options: id, rule, timezone, target and payload are arguments of their own',
    ],
    [
      'a payload of more than 256 KiB',
      `id => 'bad', at => now(), payload => to_jsonb(repeat('x', 262144))`,
      'payload: the request has',
    ],
  ])('a call of carillon.schedule with %s is refused at once, with the reason', async (_, args, reason) => {
    const calling = app.client.query(`select carillon.schedule(${args})`);
    await expect(calling).rejects.toMatchObject({ code: '22023', message: expect.stringContaining(reason) });
    expect(await requestsFor('bad')).toEqual([]);
  });

  it('SQL in the id of carillon.schedule is refused, and SQL in a target, payload, rule or option is stored as data', async () => {
    const evil = `'); drop table carillon.schedules; --`;
    const countSchedules = async () =>
      (await owner('select count(*)::int as schedules from carillon.schedules')).rows;
    const before = await countSchedules();
    await expect(
      app.client.query(`select carillon.schedule(id => $1, at => now())`, [evil]),
    ).rejects.toMatchObject({ code: '22023' });
    expect((await app.client.query(`select carillon.cancel($1) as found`, [evil])).rows).toEqual([
      { found: false },
    ]);
    await expect(app.client.query(`select carillon.trigger($1)`, [evil])).rejects.toMatchObject({
      code: 'P0002',
    });
    const target = { type: 'handler', name: evil };
    await app.client.query(
      'select carillon.schedule(id => $1, cron => $2, timezone => $2, target => $3, payload => $4, options => $5)',
      ['evil-1', evil, target, JSON.stringify(evil), { name: evil }],
    );
    expect((await requestsFor('evil-1'))[0]?.body).toEqual({
      rule: { cron: evil },
      timezone: evil,
      target,
      payload: evil,
      name: evil,
    });
    expect(await countSchedules()).toEqual(before);
  });

  it('a caller of carillon.schedule cannot make it use other functions or tables by setting search_path', async () => {
    await owner(`create schema evil authorization ${app.name}`);
    const lie = `create function evil.pg_has_role(text, name, text) returns boolean language sql as 'select true'`;
    await app.client.query(lie);
    await app.client.query('create temp table sql_requests (like pg_class)');
    await app.client.query('set search_path = evil, pg_temp, pg_catalog');
    onTestFinished(async () => void (await app.client.query('reset search_path')));
    const call = (id: string, project: string) =>
      app.client.query(`select carillon.schedule(id => $1, at => now(), ${NOOP}, project => $2)`, [
        id,
        project,
      ]);
    await expect(call('path-1', 'other')).rejects.toMatchObject({ code: '42501' });
    await call('path-2', 'billing');
    expect(await requestsFor('path-2')).toMatchObject([{ project: 'billing' }]);
  });
});

describe('Roles', () => {
  it('a role that is bound to a project can neither read nor write the tables of Carillon', async () => {
    for (const table of ['schedules', 'sql_requests', 'sql_roles', 'projects'])
      await expect(app.client.query(`select * from carillon.${table}`)).rejects.toMatchObject({
        code: '42501',
      });
    await expect(app.client.query('delete from carillon.sql_requests')).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('a role that is bound to a project may execute only carillon.schedule, cancel and trigger', async () => {
    const executable = async (role: string) => {
      const { rows } = await owner(
        `select proname from pg_proc where pronamespace = 'carillon'::regnamespace and prorettype <> 'trigger'::regtype
           and has_function_privilege($1, oid, 'execute') order by proname`,
        [role],
      );
      return rows.map(({ proname }) => proname);
    };
    expect(await executable(app.name)).toEqual(['cancel', 'schedule', 'trigger']);
    expect(await executable(stranger.name)).toEqual(['schedule']);
  });

  it('a role that is bound to no project is refused, even if it may execute carillon.schedule', async () => {
    await expect(
      stranger.client.query(`select carillon.schedule(id => 's-1', at => now(), ${NOOP})`),
    ).rejects.toMatchObject({
      code: '42501',
      message: `the role ${stranger.name} is bound to no project, so it may not schedule`,
      hint: expect.stringContaining('bind_role'),
    });
  });

  it('a role that is bound to a project cannot create a schedule in another project', async () => {
    const named = (project: string) =>
      app.client.query(`select carillon.schedule(id => 'named-1', at => now(), ${NOOP}, project => $1)`, [
        project,
      ]);
    await expect(named('other')).rejects.toMatchObject({
      code: '42501',
      message: `the role ${app.name} is bound to the project billing and may not name another`,
    });
    await expect(named('default')).rejects.toMatchObject({ code: '42501' });
    await named('billing');
    expect(await requestsFor('named-1')).toMatchObject([{ project: 'billing' }]);
  });

  it('a role that is bound to a project cannot cancel or trigger a schedule of another project', async () => {
    await owner(`select carillon.schedule(id => 'theirs', at => '2030-01-01Z', ${NOOP}, project => 'other')`);
    const [id] = await insertSchedules(database, [{ id: 'theirs-2', rule: { at: '2030-01-01T00:00:00Z' } }]);
    for (const key of ['theirs', 'theirs-2']) {
      const { rows } = await app.client.query('select carillon.cancel($1) as found', [key]);
      expect(rows).toEqual([{ found: false }]);
      await expect(app.client.query('select carillon.trigger($1)', [key])).rejects.toMatchObject({
        code: 'P0002',
      });
    }
    expect(await requestsFor('theirs')).toMatchObject([{ action: 'schedule' }]);
    expect(await requestsFor('theirs-2')).toEqual([]);
    const { rows } = await owner('select is_held from carillon.agenda where schedule_id = $1', [id]);
    expect(rows).toEqual([{ is_held: false }]);
  });

  it('a SQL function that is called by the role that owns the installation acts for the default project, or for the project whose id is passed', async () => {
    await owner(`select carillon.schedule(id => 'own-1', at => now(), ${NOOP})`);
    await owner(`select carillon.schedule(id => 'own-2', at => now(), ${NOOP}, project => 'other')`);
    expect(await requestsFor('own-1')).toMatchObject([{ project: 'default' }]);
    expect(await requestsFor('own-2')).toMatchObject([{ project: 'other' }]);
    await expect(
      owner(`select carillon.schedule(id => 'own-3', at => now(), ${NOOP}, project => 'none')`),
    ).rejects.toThrow('there is no project with the id none');
  });

  it('a session that has used SET ROLE acts for the project of that role', async () => {
    const client = await database.pool.connect();
    try {
      await inUserTransaction(client, 'commit', async (tx) => {
        await tx.query(`set local role ${app.name}`);
        await tx.query(`select carillon.schedule(id => 'set-role-1', at => now(), ${NOOP})`);
      });
    } finally {
      client.release();
    }
    expect(await requestsFor('set-role-1')).toMatchObject([{ project: 'billing', actor: `sql:${app.name}` }]);
  });

  it('bind_role refuses an unknown role or project and can move a role to another project, and unbind_role takes its rights away', async () => {
    await expect(owner(`select carillon.bind_role('nobody_here', 'billing')`)).rejects.toThrow(
      'there is no role with the name nobody_here',
    );
    await expect(owner(`select carillon.bind_role($1, 'none')`, [stranger.name])).rejects.toThrow(
      'there is no project with the id none',
    );
    const call = `select carillon.schedule(id => $1, at => now(), ${NOOP})`;
    await owner(`select carillon.bind_role($1, 'billing')`, [stranger.name]);
    await owner(`select carillon.bind_role($1, 'other')`, [stranger.name]);
    await stranger.client.query(call, ['moved-1']);
    expect(await requestsFor('moved-1')).toMatchObject([{ project: 'other' }]);
    await owner(`select carillon.unbind_role($1)`, [stranger.name]);
    await expect(stranger.client.query(call, ['moved-2'])).rejects.toMatchObject({ code: '42501' });
    const { rows } = await owner(`select action from carillon.audit_log where subject = $1 order by id`, [
      stranger.name,
    ]);
    expect(rows.map(({ action }) => action)).toEqual([
      'sql_role.bound',
      'sql_role.bound',
      'sql_role.unbound',
    ]);
  });
});

describe('carillon.cancel', () => {
  const atOf = (nowAt: number) => ({ at: new Date(nowAt).toISOString() });

  it('no worker claims a schedule after carillon.cancel has committed, even if no worker has carried the cancel out yet', async () => {
    const nowAt = Date.now();
    const [id] = await insertSchedules(database, [{ id: 'hold-1', rule: atOf(nowAt - 10) }], {
      nowAt: nowAt - 50,
    });
    await owner(`select carillon.cancel('hold-1')`);
    const claimed = await engine.claim(nowAt);
    expect(claimed.filter(({ scheduleId }) => scheduleId === id)).toEqual([]);
    expect(await requestsFor('hold-1')).toMatchObject([{ action: 'cancel' }]);
  });

  it('no worker claims a waiting retry after carillon.cancel has committed', async () => {
    const nowAt = Date.now();
    const [id] = await insertSchedules(database, [{ id: 'hold-2', rule: atOf(nowAt - 10) }], {
      nowAt: nowAt - 50,
    });
    const run = (await engine.claim(nowAt)).find(({ scheduleId }) => scheduleId === id);
    if (!run) throw new Error('the run was not claimed');
    await engine.fail(run, nowAt);
    await owner(`select carillon.cancel('hold-2')`);
    const claimed = await engine.claim(nowAt + 3_600_000);
    expect(claimed.filter(({ scheduleId }) => scheduleId === id)).toEqual([]);
  });

  it('after carillon.cancel has committed, the end of a pause does not resume the schedule', async () => {
    const nowAt = Date.now();
    const [id] = await insertSchedules(database, [{ id: 'hold-4', rule: { every: 'PT1M' } }], { nowAt });
    const ref = { projectId: database.projectId, key: 'hold-4' };
    const untilAt = nowAt + 90_000;
    await pauseSchedule(database.pool, { ref, actor: 'ops', now: nowAt }, { note: null, untilAt });
    await owner(`select carillon.cancel('hold-4')`);
    expect(await resumeEnded(database.pool, untilAt)).toEqual([]);
    const claimed = await engine.claim(nowAt + 3_600_000);
    expect(claimed.filter(({ scheduleId }) => scheduleId === id)).toEqual([]);
  });

  it('a carillon.cancel that is rolled back leaves the schedule claimable', async () => {
    const nowAt = Date.now();
    const [id] = await insertSchedules(database, [{ id: 'hold-3', rule: atOf(nowAt - 10) }], {
      nowAt: nowAt - 50,
    });
    const client = await database.pool.connect();
    await inUserTransaction(client, 'rollback', (tx) => tx.query(`select carillon.cancel('hold-3')`));
    client.release();
    expect(await requestsFor('hold-3')).toEqual([]);
    expect((await engine.claim(nowAt)).map(({ scheduleId }) => scheduleId)).toContain(id);
  });

  it('carillon.cancel withdraws a requested schedule that no worker has created yet, and the audit log says so', async () => {
    await app.client.query(`select carillon.schedule(id => 'draw-1', at => now(), ${NOOP})`);
    await app.client.query(`select carillon.trigger('draw-1')`);
    const { rows } = await app.client.query(`select carillon.cancel('draw-1') as found`);
    expect(rows).toEqual([{ found: true }]);
    expect(await requestsFor('draw-1')).toEqual([]);
    const audit = await owner(`select actor, action from carillon.audit_log where subject = 'draw-1'`);
    expect(audit.rows).toEqual([{ actor: `sql:${app.name}`, action: 'schedule.withdrawn' }]);
  });

  it('for an unknown id carillon.cancel returns false and carillon.trigger is refused', async () => {
    expect((await owner(`select carillon.cancel('unknown') as found`)).rows).toEqual([{ found: false }]);
    await expect(owner(`select carillon.trigger('unknown')`)).rejects.toMatchObject({
      code: 'P0002',
      message: 'there is no schedule with the id unknown',
    });
  });
});

it('the SQL functions work in a Postgres schema that has another name than carillon', async () => {
  const schema = 'elsewhere';
  await migrate(database.url, { schema });
  const pool = openDatabase({
    url: database.url,
    schema,
    max: 2,
    applicationName: 'test',
    onError: () => {},
  });
  onTestFinished(() => pool.end());
  await owner(`select elsewhere.bind_role($1, 'default')`, [app.name]);
  await app.client.query(`select elsewhere.schedule(id => 'else-1', cron => '0 9 * * *', ${NOOP})`);
  await app.client.query(`select elsewhere.trigger('else-1')`);
  const rows = await owner(`select action, key from elsewhere.sql_requests order by id`);
  expect(rows.rows).toEqual([
    { action: 'schedule', key: 'else-1' },
    { action: 'trigger', key: 'else-1' },
  ]);
  expect((await app.client.query(`select elsewhere.cancel('else-1') as found`)).rows).toEqual([
    { found: true },
  ]);
  expect(await requestsFor('else-1')).toEqual([]);
});
