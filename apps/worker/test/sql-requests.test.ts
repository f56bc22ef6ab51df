import { migrate } from '@carillon/db';
import { eventually, inUserTransaction, useDatabase, useRole } from '@carillon/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineHandler } from '../src/define.js';
import { Registry } from '../src/registry.js';
import type { RunningWorker } from '../src/worker.js';
import { startTestWorker } from './support.js';

const NOOP = `target => '{"type":"handler","name":"noop"}'`;
/** A worker with these intervals sweeps too rarely for a test, so only a notification can wake it. */
const RARE_SWEEPS = { SWEEP_INTERVAL_MS: '300000', ARM_HORIZON_MS: '900000' };
/** A worker with this URL can't listen for notifications, so only its sweep finds requests. */
const DEAF = { DATABASE_DIRECT_URL: 'postgres://127.0.0.1:1/' };

const database = useDatabase();
const tenant = useRole(database);
const typed = defineHandler({
  name: 'sql-typed',
  schema: z.object({ to: z.string() }),
  run: () => {},
});

interface Line {
  msg: string;
  level: number;
  schedule?: string;
  reason?: string;
}
const lines: Line[] = [];
const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
const start = (env: Record<string, string>) =>
  startTestWorker(database, env, log, new Registry({ handlers: [typed], schedules: [] }));

const owner = (text: string, values: unknown[] = []) => database.pool.query(text, values);
const schedule = async (id: string, args: string) =>
  void (await owner(`select carillon.schedule(id => '${id}', ${args})`));

async function scheduleOf(key: string) {
  const { rows } = await owner(
    `select s.id, p.key as project, s.status, s.rule, s.plan::json as plan, s.payload::text as payload, s.defined_by as "definedBy",
            s.created_at as "createdAt", a.occurrence_at as "occurrenceAt"
     from carillon.schedules s join carillon.projects p on p.id = s.project_id left join carillon.agenda a on a.schedule_id = s.id
     where s.key = $1`,
    [key],
  );
  return rows[0];
}
const created = (key: string) => eventually(() => scheduleOf(key), { what: `the schedule ${key}` });

interface RunRow {
  origin: string;
  status: string;
  occurrenceAt: number;
  isEarly: boolean;
}

async function runsOf(key: string): Promise<RunRow[]> {
  const { rows } = await owner(
    `select r.origin, r.status, r.occurrence_at as "occurrenceAt", r.recorded_at < r.due_at as "isEarly"
     from carillon.runs r join carillon.schedules s on s.id = r.schedule_id where s.key = $1 order by r.occurrence_at`,
    [key],
  );
  return rows;
}
const succeeded = (key: string, count = 1) =>
  eventually(
    async () => {
      const runs = (await runsOf(key)).filter(({ status }) => status === 'succeeded');
      return runs.length >= count && runs;
    },
    { what: `${count} runs of ${key}` },
  );

const refusal = (key: string) =>
  eventually(
    async () => {
      const { rows } = await owner(
        `select detail ->> 'reason' as reason from carillon.audit_log where subject = $1 and action = 'schedule.refused'`,
        [key],
      );
      return rows[0]?.reason as string | undefined;
    },
    { what: `the refusal of ${key}` },
  );
const pending = async (key: string) =>
  (await owner('select action from carillon.sql_requests where key = $1 order by id', [key])).rows.map(
    ({ action }) => action,
  );

beforeAll(async () => {
  await owner(
    `insert into carillon.projects (key, name, limits) values ('tenant', 'Tenant', '{"schedules":3}')`,
  );
  await owner(`select carillon.bind_role($1, 'tenant')`, [tenant.name]);
});

describe('A worker that is woken by the commit', () => {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await start(RARE_SWEEPS);
    // From here on, the worker listens and no sweep comes, so only a notification wakes it.
    await eventually(async () => {
      const { rows } = await owner(
        `select from pg_stat_activity where datname = current_database() and application_name = 'carillon-listener'
           and state = 'idle' and query = 'select 1'`,
      );
      return rows.length === 1;
    });
  });
  afterAll(() => worker?.stop());

  it('a schedule requested by SQL fires when it is due if its transaction commits, and leaves nothing if the transaction rolls back', async () => {
    const client = await database.pool.connect();
    onTestFinished(() => client.release());
    const call = (id: string) =>
      `select carillon.schedule(id => '${id}', at => clock_timestamp() + interval '1 second', ${NOOP})`;
    await inUserTransaction(client, 'rollback', (tx) => tx.query(call('rolled-back')));
    await inUserTransaction(client, 'commit', (tx) => tx.query(call('committed')));
    expect(await succeeded('committed')).toMatchObject([{ origin: 'rule', isEarly: false }]);
    expect(await scheduleOf('rolled-back')).toBeUndefined();
  });

  it('a request by SQL creates the same schedule as a request to the API', async () => {
    const target = { type: 'webhook', url: 'https://example.com/hook', headers: { 'x-token': 'secret' } };
    await owner(
      `select carillon.schedule(id => 'as-api', cron => '0 9 * * 1-5', timezone => 'America/New_York', target => $1,
                                payload => '{"n": 12345678901234567890}', options => '{"retry":{"maxAttempts":5},"tags":["a"]}')`,
      [target],
    );
    const made = await created('as-api');
    expect(made).toMatchObject({
      project: 'default',
      status: 'active',
      rule: { cron: '0 9 * * 1-5' },
      definedBy: expect.stringMatching(/^sql:/),
      plan: { retry: { maxAttempts: 5 }, target: { type: 'webhook', url: 'https://example.com/hook' } },
    });
    expect(JSON.parse(JSON.stringify(made.plan)).target.headers['x-token']).not.toContain('secret');
    expect(made.payload).toContain('12345678901234567890');
    expect(await pending('as-api')).toEqual([]);
  });

  it('a repeated request by SQL changes nothing, and a different request with the same id is refused with the reason', async () => {
    await schedule('twice', `every => 'PT1H', ${NOOP}`);
    await schedule('twice', `every => 'PT1H', ${NOOP}`);
    await schedule('twice', `every => 'PT2H', ${NOOP}`);
    expect(await refusal('twice')).toBe('a schedule with the id twice and another definition exists already');
    expect((await created('twice')).rule).toEqual({ every: 'PT1H' });
    const { rows } = await owner(`select action from carillon.audit_log where subject = 'twice' order by id`);
    expect(rows.map(({ action }) => action)).toEqual(['schedule.created', 'schedule.refused']);
  });

  it('a call of the SQL function trigger runs the schedule once, even if the schedule was requested in the same transaction', async () => {
    const client = await database.pool.connect();
    onTestFinished(() => client.release());
    await inUserTransaction(client, 'commit', async (tx) => {
      await tx.query(`select carillon.schedule(id => 'triggered', at => '2030-01-01Z', ${NOOP})`);
      await tx.query(`select carillon.trigger('triggered')`);
    });
    expect(await succeeded('triggered')).toMatchObject([{ origin: 'trigger' }]);
    await owner(`select carillon.trigger('triggered')`);
    expect(await succeeded('triggered', 2)).toHaveLength(2);
  });

  it('a schedule that is cancelled by SQL stays cancelled, and a later call of the SQL function trigger is refused with the reason', async () => {
    await schedule('ended', `at => '2030-01-01Z', ${NOOP}`);
    await created('ended');
    expect((await owner(`select carillon.cancel('ended') as found`)).rows).toEqual([{ found: true }]);
    await eventually(async () => (await scheduleOf('ended')).status === 'cancelled');
    expect((await scheduleOf('ended')).occurrenceAt).toBeNull();
    await owner(`select carillon.trigger('ended')`);
    expect(await refusal('ended')).toBe(`it is cancelled and can't be triggered`);
    await schedule('ended', `at => '2031-01-01Z', ${NOOP}`);
    await eventually(async () => (await pending('ended')).length === 0);
    expect((await owner(`select carillon.cancel('ended') as found`)).rows).toEqual([{ found: false }]);
  });

  it.each([
    ['a cron that cannot be read', 'bad-cron', `cron => '61 * * * *', ${NOOP}`, 'rule.cron:'],
    [
      'an unknown time zone',
      'bad-zone',
      `cron => '0 9 * * *', timezone => 'Mars/Olympus', ${NOOP}`,
      'timezone:',
    ],
    ['an unknown option', 'bad-option', `at => now(), ${NOOP}, options => '{"colour":"red"}'`, 'colour'],
    ['no target', 'no-target', `at => now()`, 'target: is missing'],
    [
      'a payload that does not fit its handler',
      'bad-payload',
      `at => now(), target => '{"type":"handler","name":"sql-typed"}', payload => '{"to":5}'`,
      'the handler sql-typed: to: ',
    ],
    ['an unknown template', 'bad-template', `${NOOP}, options => '{"template":"none"}'`, 'template:'],
  ])(
    'a request by SQL with %s is refused: the audit log and a warning say why',
    async (_, id, args, reason) => {
      await schedule(id, args);
      expect(await refusal(id)).toContain(reason);
      await eventually(() => lines.some((line) => line.schedule === id));
      const line = lines.find((each) => each.schedule === id);
      expect(line).toMatchObject({
        level: 40,
        msg: 'A request by SQL was refused',
        reason: expect.stringContaining(reason),
      });
      expect(await scheduleOf(id)).toBeUndefined();
      expect(await pending(id)).toEqual([]);
    },
  );

  it('if Postgres rejects the schedule of a request by SQL, the worker refuses that request and carries out the other requests of the same transaction', async () => {
    await owner(`alter table carillon.schedules add constraint test_bad_row check (key <> 'bad-row')`);
    onTestFinished(
      async () => void (await owner('alter table carillon.schedules drop constraint test_bad_row')),
    );
    await owner(
      `select carillon.schedule(id => id, at => '2030-01-01Z', ${NOOP}) from unnest(array['good-1', 'bad-row', 'good-2']) as id`,
    );
    expect(await refusal('bad-row')).toContain('it could not be stored');
    await created('good-1');
    await created('good-2');
  });

  it('a schedule that a role requests by SQL belongs to the role’s project and obeys the limits and targets of that project', async () => {
    const call = (id: string, name: string) =>
      tenant.client.query(
        `select carillon.schedule(id => $1, at => '2030-01-01Z', target => jsonb_build_object('type', 'handler', 'name', $2::text))`,
        [id, name],
      );
    for (const id of ['t-1', 't-2', 't-3']) await call(id, 'noop');
    expect(await created('t-3')).toMatchObject({ project: 'tenant', definedBy: `sql:${tenant.name}` });
    await call('t-4', 'noop');
    expect(await refusal('t-4')).toContain('the project has reached its limit of 3 schedules');
    await tenant.client.query(`select carillon.cancel('t-1')`);
    await call('t-5', 'sql-typed');
    expect(await refusal('t-5')).toContain('project tenant may not run the handler "sql-typed"');
  });

  it('requests by SQL for one schedule are carried out in the order of their calls, by any number of workers', async () => {
    const second = await start(RARE_SWEEPS);
    onTestFinished(() => second.stop());
    const keys = Array.from({ length: 300 }, (_, i) => `ordered-${i}`);
    const client = await database.pool.connect();
    onTestFinished(() => client.release());
    await inUserTransaction(client, 'commit', async (tx) => {
      await tx.query(
        `select carillon.schedule(id => id, at => '2030-01-01Z', ${NOOP}) from unnest($1::text[]) as id`,
        [keys],
      );
      await tx.query(`select carillon.trigger(id) from unnest($1::text[]) as id`, [keys]);
      await tx.query(`select carillon.trigger(id) from unnest($1::text[]) as id`, [keys]);
    });
    await eventually(async () => {
      const { rows } = await owner(
        `select count(*) as n from carillon.runs r join carillon.schedules s on s.id = r.schedule_id
         where s.key = any($1) and r.status = 'succeeded'`,
        [keys],
      );
      return rows[0].n === 600;
    });
    const refused = await owner(
      `select from carillon.audit_log where subject = any($1) and action = 'schedule.refused'`,
      [keys],
    );
    expect(refused.rows).toEqual([]);
  });

  it('a request by SQL is not held up by many requests of another project, because projects take turns', async () => {
    await owner(`insert into carillon.projects (key, name) values ('many', 'Many'), ('few', 'Few')`);
    const client = await database.pool.connect();
    onTestFinished(() => client.release());
    await inUserTransaction(client, 'commit', async (tx) => {
      await tx.query(
        `select carillon.schedule(id => 'many-' || n, at => '2030-01-01Z', ${NOOP}, project => 'many') from generate_series(1, 250) as n`,
      );
      await tx.query(
        `select carillon.schedule(id => 'few-1', at => '2030-01-01Z', ${NOOP}, project => 'few')`,
      );
    });
    const { id } = await created('few-1');
    expect((await created('many-250')).id).toBeGreaterThan(id);
  });

  it('a worker listens for requests by SQL again after its connection was lost', async () => {
    const { rows } = await owner(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'carillon-listener'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    await schedule('after-loss', `at => now(), ${NOOP}`);
    await succeeded('after-loss');
  });
});

describe('A worker that finds requests by its sweep', () => {
  it('a request by SQL whose notification is lost is carried out by the next sweep', async () => {
    const worker = await start(DEAF);
    onTestFinished(() => worker.stop());
    await schedule('swept', `at => now(), ${NOOP}`);
    await succeeded('swept');
  });

  it('requests by SQL made while no worker runs are carried out later: due schedules run, and cancelled ones do not', async () => {
    await schedule('early', `at => clock_timestamp() + interval '50 milliseconds', ${NOOP}`);
    await schedule('cancelled-early', `at => clock_timestamp(), ${NOOP}`);
    await owner(`select carillon.cancel('cancelled-early')`);
    const policies = '{"misfire":{"policy":"all","grace":"PT0S"},"maxRuns":3}';
    await schedule('counted', `every => '1 second', ${NOOP}, options => '${policies}'`);
    await eventually(async () => {
      const { rows } = await owner(
        `select from carillon.sql_requests where key = 'counted' and requested_at < clock_timestamp() - interval '2.9 seconds'`,
      );
      return rows.length === 1;
    });
    const startedAt = Date.now();
    const worker = await start(DEAF);
    onTestFinished(() => worker.stop());
    await succeeded('early');
    const counted = await succeeded('counted', 3);
    const missed = counted.filter(({ occurrenceAt }) => occurrenceAt < startedAt);
    expect(missed.length).toBeGreaterThanOrEqual(2);
    expect(await scheduleOf('cancelled-early')).toBeUndefined();
  });

  it('a request by SQL waits for the earlier requests for its schedule, even while another worker has locked them', async () => {
    await schedule('locked', `at => '2030-01-01Z', ${NOOP}`);
    await owner(`select carillon.trigger('locked')`);
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query(
      `select from carillon.sql_requests where key = 'locked' and action = 'schedule' for update`,
    );
    const worker = await start(DEAF);
    onTestFinished(() => worker.stop());
    await schedule('not-locked', `at => '2030-01-01Z', ${NOOP}`);
    await created('not-locked');
    expect(await pending('locked')).toEqual(['schedule', 'trigger']);
    await other.query('rollback');
    other.release();
    expect(await succeeded('locked')).toMatchObject([{ origin: 'trigger' }]);
  });

  it('while a transaction holds the lock of a schedule, requests by SQL for other schedules are not delayed', async () => {
    const worker = await start(DEAF);
    onTestFinished(() => worker.stop());
    await schedule('held', `at => '2030-01-01Z', ${NOOP}`);
    await created('held');
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query(`select from carillon.schedules where key = 'held' for update`);
    await owner(`select carillon.trigger('held')`);
    await schedule('not-held', `at => '2030-01-01Z', ${NOOP}`);
    await owner(`select carillon.trigger('not-held')`);
    await succeeded('not-held');
    expect(await pending('held')).toEqual(['trigger']);
    await client.query('rollback');
    client.release();
    await succeeded('held');
  });
});

describe('Triggers in one batch', () => {
  const keys = ['batch-1', 'batch-2', 'batch-3'];
  let ids: Record<string, number>;

  beforeAll(async () => {
    const maker = await start(DEAF);
    for (const key of keys) await schedule(key, `at => '2030-01-01Z', ${NOOP}`);
    ids = {};
    for (const key of keys) ids[key] = (await created(key)).id;
    await maker.stop();
  });

  /**
   * Calls `carillon.trigger` for each schedule while no worker runs, so that the next worker finds all calls in one
   * batch.
   */
  const triggerAll = () => owner('select carillon.trigger(key) from unnest($1::text[]) as key', [keys]);
  const startDeaf = async () => {
    const worker = await start(DEAF);
    onTestFinished(() => worker.stop());
  };
  const countRuns = async (key: string) => (await runsOf(key)).length;

  it('if the SQL function trigger is called for several schedules, each runs once, and each audit entry names the role that made the call', async () => {
    await owner(`select carillon.bind_role($1, 'default')`, [tenant.name]);
    onTestFinished(async () => void (await owner(`select carillon.bind_role($1, 'tenant')`, [tenant.name])));
    await owner(`select carillon.trigger('batch-1')`);
    await owner(`select carillon.trigger('batch-2')`);
    await tenant.client.query(`select carillon.trigger('batch-3')`);
    await startDeaf();
    for (const key of keys)
      expect(await succeeded(key)).toMatchObject([{ origin: 'trigger', isEarly: false }]);
    const { rows } = await owner(
      `select a.actor, a.subject, a.detail ->> 'runId' as "runId" from carillon.audit_log a
       where a.subject = any($1) and a.action = 'schedule.triggered' order by a.subject`,
      [keys],
    );
    const { rows: me } = await owner('select current_user as name');
    expect(rows.map(({ actor }) => actor)).toEqual([
      `sql:${me[0].name}`,
      `sql:${me[0].name}`,
      `sql:${tenant.name}`,
    ]);
    expect(new Set(rows.map(({ runId }) => runId)).size).toBe(3);
    expect(await pending('batch-1')).toEqual([]);
  });

  it('a call of the SQL function trigger whose run cannot be stored is refused, and the other calls of its batch are carried out', async () => {
    const before = await countRuns('batch-3');
    await owner(
      `alter table carillon.runs add constraint test_bad_run check (schedule_id <> ${ids['batch-2']}) not valid`,
    );
    onTestFinished(async () => void (await owner('alter table carillon.runs drop constraint test_bad_run')));
    await triggerAll();
    await startDeaf();
    expect(await refusal('batch-2')).toContain('it could not be carried out');
    await eventually(async () => (await countRuns('batch-3')) === before + 1);
    for (const key of keys) expect(await pending(key)).toEqual([]);
  });

  it.each([
    ['schedule', 'select from carillon.schedules where id = $1 for update'],
    ['agenda row', 'select from carillon.agenda where schedule_id = $1 for update'],
  ])(
    'a call of the SQL function trigger waits while another transaction locks its %s, and the other calls of its batch are carried out',
    async (_, lock) => {
      const before = { held: await countRuns('batch-1'), free: await countRuns('batch-3') };
      const client = await database.pool.connect();
      await client.query('begin');
      await client.query(lock, [ids['batch-1']]);
      await triggerAll();
      await startDeaf();
      await eventually(async () => (await countRuns('batch-3')) > before.free);
      expect(await pending('batch-1')).toEqual(['trigger']);
      expect(await countRuns('batch-1')).toBe(before.held);
      await client.query('rollback');
      client.release();
      await eventually(async () => (await countRuns('batch-1')) === before.held + 1);
    },
  );

  it('a call of the SQL function trigger for a cancelled schedule is refused, and the other calls of its batch are carried out', async () => {
    const before = await countRuns('batch-3');
    await owner(`update carillon.schedules set status = 'cancelled' where key = 'batch-2'`);
    await triggerAll();
    await startDeaf();
    await eventually(async () => (await countRuns('batch-3')) > before);
    const { rows } = await owner(
      `select detail ->> 'reason' as reason from carillon.audit_log where subject = 'batch-2' and action = 'schedule.refused' order by id desc limit 1`,
    );
    expect(rows).toEqual([{ reason: `it is cancelled and can't be triggered` }]);
  });
});

it('a worker carries out the requests by SQL of its own Postgres schema, also if the schema is not named carillon', async () => {
  await migrate(database.url, { schema: 'elsewhere' });
  const worker = await start({ DATABASE_SCHEMA: 'elsewhere', ...RARE_SWEEPS });
  onTestFinished(() => worker.stop());
  await owner(`select elsewhere.schedule(id => 'else', at => now(), ${NOOP})`);
  await eventually(async () => {
    const { rows } = await owner(`select from elsewhere.runs where status = 'succeeded'`);
    return rows.length === 1;
  });
  await owner(`select elsewhere.schedule(id => 'else-2', at => '2030-01-01Z', ${NOOP})`);
  await eventually(async () => (await owner(`select from elsewhere.schedules where key = 'else-2'`)).rows[0]);
  await owner(`select elsewhere.cancel('else-2')`);
  await eventually(async () => {
    const { rows } = await owner(`select status from elsewhere.schedules where key = 'else-2'`);
    return rows[0].status === 'cancelled';
  });
  expect(await scheduleOf('else')).toBeUndefined();
});
