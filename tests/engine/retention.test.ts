import { readFile } from 'node:fs/promises';
import {
  applyRetention,
  type ClaimedRun,
  cancelSchedule,
  createProject,
  editSchedule,
  openDatabase,
  readHistoryStart,
  schema,
  skipNext,
  triggerSchedule,
} from '@carillon/db';
import { DAY_MS } from '@carillon/shared';
import { draft, eventually, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, it, onTestFinished } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2020-02-10T10:00:00Z');
const YEAR_LATER = T0 + 365 * DAY_MS;
const FOREVER = { runs: null, schedules: null, audit: null };
const MONTH = { runs: 30, schedules: 30, audit: 30 };
const once = (more: object = {}) => ({ rule: { at: new Date(T0).toISOString() }, ...more });

const retain = (defaults: object = {}, now: number | null = YEAR_LATER) =>
  applyRetention(database.pool, { defaults: { ...FOREVER, ...defaults }, now });
const count = async (table: string, where = 'true'): Promise<number> =>
  (await database.pool.query(`select count(*)::int as n from carillon.${table} where ${where}`)).rows[0].n;

const TABLES = Object.values(schema)
  .filter((value) => is(value, PgTable))
  .map((table) => getTableConfig(table).name);
const countAll = async () =>
  Object.fromEntries(await Promise.all(TABLES.map(async (table) => [table, await count(table)] as const)));

/**
 * Sets all times that came from the real clock to T0. A trigger keeps the audit log from being changed, so the owner of
 * the table disables the trigger meanwhile.
 */
async function backdate(): Promise<void> {
  await database.pool.query(`
    alter table carillon.audit_log disable trigger user;
    update carillon.audit_log set at = to_timestamp(${T0} / 1000.0);
    alter table carillon.audit_log enable trigger user;
    update carillon.schedules set created_at = to_timestamp(${T0} / 1000.0), updated_at = to_timestamp(${T0} / 1000.0),
      defined_at = to_timestamp(${T0} / 1000.0);
    update carillon.schedule_versions set superseded_at = to_timestamp(${T0} / 1000.0)`);
}

async function fire(): Promise<void> {
  for (const run of await engine.claim(T0)) await engine.succeed(run, T0 + 1);
}

/** Opens a pool that calls `act` once, just before it first sends the statement with this name. */
function openBefore(name: string, act: () => Promise<void>) {
  const pool = openDatabase({ url: database.url, max: 4, applicationName: 'test', onError: () => {} });
  onTestFinished(() => pool.end());
  let hasActed = false;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const meddling = async (statement: { name?: string }, ...rest: unknown[]) => {
      if (statement.name === name && !hasActed) {
        hasActed = true;
        await act();
      }
      return query(statement, ...rest);
    };
    Object.assign(client, { query: meddling });
  });
  return pool;
}

const newProject = async (key: string, retention: object) =>
  (
    await createProject(database.pool, {
      draft: { key, name: key, defaultTarget: null, limits: {}, retention },
      actor: 'test',
      seal: null,
      sealTarget: () => null,
    })
  )?.id as number;

it('docs/retention.md names every table of the database once, each with how long it is kept', async () => {
  const page = await readFile(new URL('../../docs/retention.md', import.meta.url), 'utf8');
  const rows = page.split('## Every table')[1]?.match(/^\| `.*$/gm) ?? [];
  const named = rows.flatMap((row) => {
    const [, tables = '', kept = ''] = row.split('|');
    expect(kept.trim()).not.toBe('');
    return [...tables.matchAll(/`(\w+)`/g)].map(([, table]) => table);
  });
  expect(named.sort()).toEqual([...TABLES, 'migrations'].sort());
});

describe('finished one-shots', () => {
  it('one-shots that have fired leave no row in any table after their retention', async () => {
    const before = await countAll();
    const ids = await insertSchedules(
      database,
      Array.from({ length: 40 }, (_, n) => once({ id: `shot-${n}`, retry: { maxAttempts: 3 } })),
      { nowAt: T0 - DAY_MS },
    );
    const edited = draft(once({ id: 'shot-0', name: 'edited' }), T0 - DAY_MS);
    await editSchedule(
      database.pool,
      { ref: { id: ids[0] as number }, actor: 'ops', now: T0 - DAY_MS },
      edited,
    );
    const [first, second, ...others] = (await engine.claim(T0)) as [ClaimedRun, ClaimedRun, ...ClaimedRun[]];
    const deferred = {
      kind: 'deferred',
      retryInMs: 1_000,
      reasonCode: 'origin_busy',
      reason: 'busy now',
    } as const;
    await engine.closeAll([{ run: first, outcome: deferred }], T0);
    await engine.fail(second, T0);
    for (const run of [...others, ...(await engine.claim(T0 + 10_000))])
      await engine.succeed(run, T0 + 10_001);
    await database.pool.query(
      `with times as (select to_timestamp(${T0} / 1000.0) as at)
       , g as (insert into carillon.gaps (project_id, schedule_id, version, from_at, to_at, count, reason_code, reason, created_at)
               select 1, ${ids[2]}, 1, at, at, 1, 'misfire', 'missed', at from times)
       , k as (insert into carillon.idempotency_keys (project_id, key, request_hash, created_at) select 1, 'k', 'h', at from times)
       , p as (insert into carillon.pings (project_id, schedule_id, kind, at) select 1, ${ids[3]}, 'success', at from times)
       , t as (insert into carillon.ping_tokens values (${ids[3]}, 1, 2))
       , x as (insert into carillon.webhook_secrets (project_id, sealed, expires_at) select 1, '', at from times)
       , a as (insert into carillon.alerts (project_id, schedule_id, schedule_key, kind, occurrence_at, sentence, opened_at, noted_at)
               select 1, ${ids[4]}, 'shot-4', 'start', at, 'late', at, at from times)
       insert into carillon.webhook_secrets (project_id, schedule_id, sealed) values (1, ${ids[3]}, '')`,
    );
    await backdate();
    const filled = await countAll();
    expect(filled).toMatchObject({
      schedules: 40,
      runs: 40,
      attempts: 1,
      deferrals: 1,
      schedule_versions: 1,
    });
    expect(filled.audit_log).toBe((before.audit_log as number) + 41);
    expect(filled.agenda).toBe(0);

    // Schedules are deleted after their own retention, together with their runs and other records, although runs are
    // kept for ever.
    await retain({ schedules: 400 });
    expect(await countAll()).toMatchObject({ schedules: 40, runs: 40, audit_log: filled.audit_log });
    await retain({ schedules: 30, audit: 30 });
    const { workers: _, ...left } = await countAll();
    const { workers: __, ...atFirst } = before;
    expect(left).toEqual(atFirst);
  });

  it('a finished schedule is kept until both its last change and its last run are older than the retention', async () => {
    const [id] = await insertSchedules(database, [once({ id: 'young' })], { nowAt: T0 - DAY_MS });
    await fire();
    await backdate();
    const setChanged = (at: number) =>
      database.pool.query(
        `update carillon.schedules set updated_at = to_timestamp(${at} / 1000.0) where id = ${id}`,
      );
    await setChanged(T0 - 100 * DAY_MS);
    await retain({ schedules: 30 }, T0 + 29 * DAY_MS);
    expect(await count('schedules', `id = ${id}`)).toBe(1);
    await setChanged(T0 + 2 * DAY_MS);
    await retain({ schedules: 30 }, T0 + 31 * DAY_MS);
    expect(await count('schedules', `id = ${id}`)).toBe(1);
    await setChanged(T0);
    await retain({ schedules: 30 }, T0 + 31 * DAY_MS);
    expect(await count('schedules', `id = ${id}`)).toBe(0);
  });

  it('retention deletes no schedule that is active, paused, declared in code or managed by a file', async () => {
    await insertSchedules(
      database,
      [
        { id: 'daily', rule: { every: 'P1D' } },
        once({ id: 'declared' }),
        once({ id: 'managed', tags: ['set:billing'] }),
        once({ id: 'cancelled' }),
        { id: 'paused', rule: { every: 'P1D' } },
      ],
      { nowAt: T0 - DAY_MS },
    );
    await database.pool.query(
      `update carillon.schedules set declared_hash = 'x' where key = 'declared';
       update carillon.schedules set status = 'paused', paused_at = now() where key = 'paused';
       delete from carillon.agenda where schedule_id = (select id from carillon.schedules where key = 'paused')`,
    );
    const ref = { projectId: database.projectId, key: 'cancelled' };
    await cancelSchedule(database.pool, { ref, actor: 'ops', now: T0 });
    await fire();
    await backdate();
    await retain({ schedules: 30 });
    const { rows } = await database.pool.query('select key from carillon.schedules order by key');
    expect(rows.map(({ key }) => key)).toEqual(['daily', 'declared', 'managed', 'paused']);
  });

  it('retention keeps a finished schedule, and its new run, if the schedule is triggered just before its deletion', async () => {
    const [id] = (await insertSchedules(database, [once({ id: 'revived' })], { nowAt: T0 - DAY_MS })) as [
      number,
    ];
    await fire();
    await backdate();
    let triggered = false;
    // The trigger commits after retention has found the schedule and before it locks the schedule.
    const pool = openBefore('lock-ended-schedules', async () => {
      triggered = true;
      await triggerSchedule(database.pool, { ref: { id }, actor: 'ops', now: T0 + 5 });
    });
    await applyRetention(pool, { defaults: { ...FOREVER, schedules: 30 }, now: YEAR_LATER });
    expect(triggered).toBe(true);
    expect((await engine.runsOf(id)).map(({ status }) => status)).toEqual(['succeeded', 'queued']);
  });

  it('a trigger of a finished schedule waits while retention deletes the schedule, and is then answered not_found', async () => {
    const [id] = (await insertSchedules(database, [once({ id: 'late' })], { nowAt: T0 - DAY_MS })) as [
      number,
    ];
    await fire();
    await backdate();
    let trigger: ReturnType<typeof triggerSchedule> | undefined;
    const isWaiting = async () =>
      (
        await database.pool.query(
          `select from pg_locks where not granted and locktype in ('transactionid', 'tuple')`,
        )
      ).rowCount !== 0;
    const pool = openBefore('remove-attempts', async () => {
      trigger = triggerSchedule(database.pool, { ref: { id }, actor: 'ops', now: T0 + 5 });
      await Promise.race([trigger, eventually(isWaiting, { what: 'the trigger to wait' })]);
    });
    await applyRetention(pool, { defaults: { ...FOREVER, schedules: 30 }, now: YEAR_LATER });
    expect((await trigger)?.kind).toBe('not_found');
    expect(await engine.runsOf(id)).toEqual([]);
  });

  it('retention skips a finished schedule that another transaction has locked, and the next prune deletes it', async () => {
    const [id] = await insertSchedules(database, [once({ id: 'locked' })], { nowAt: T0 - DAY_MS });
    await fire();
    await backdate();
    const holder = await database.pool.connect();
    await holder.query(`begin; select from carillon.schedules where id = ${id} for update`);
    await retain({ schedules: 30 });
    expect(await count('schedules', `id = ${id}`)).toBe(1);
    await holder.query('rollback');
    holder.release();
    await retain({ schedules: 30 });
    expect(await count('schedules', `id = ${id}`)).toBe(0);
  });
});

describe('retention per project', () => {
  it('runs are kept for the retention of their own project, even if their monthly partition holds runs of projects with other retentions', async () => {
    const short = await newProject('short', { runs: 'P7D' });
    const long = await newProject('long', { runs: 'P3000D' });
    const ids = await Promise.all(
      [database.projectId, short, long].map(
        async (projectId) =>
          (await insertSchedules(database, [once()], { nowAt: T0 - DAY_MS, projectId }))[0],
      ),
    );
    await fire();
    const runs = () => Promise.all(ids.map((id) => count('runs', `schedule_id = ${id}`)));
    // Runs of a project with a retention of its own are deleted to the day, runs of other projects by whole months.
    await retain({ runs: 10 }, T0 + 8 * DAY_MS);
    expect(await runs()).toEqual([1, 0, 1]);
    await retain({ runs: 10 }, T0 + 12 * DAY_MS);
    expect(await runs()).toEqual([1, 0, 1]);
    await retain({ runs: 10 });
    expect(await runs()).toEqual([0, 0, 1]);
    // A schedule whose only run is gone still knows that it has run.
    expect(await count('schedules', `id = ${ids[1]} and runs_total = 1 and last_run_at is not null`)).toBe(1);
    expect(await readHistoryStart(database.pool, short)).toBe(YEAR_LATER - 7 * DAY_MS);
    expect(await readHistoryStart(database.pool, database.projectId)).toBe(YEAR_LATER - 10 * DAY_MS);
    expect((await retain({ runs: 10 }, T0 + 3100 * DAY_MS)).months).toContain('2020_02');
    expect(await runs()).toEqual([0, 0, 0]);
  });

  it('retention does not delete an open run, nor a skipped run whose occurrence lies ahead', async () => {
    const projectId = await newProject('exact', { runs: 'P1D' });
    const request = { nowAt: T0 - DAY_MS, projectId };
    const [failing, yearly] = (await insertSchedules(
      database,
      [once({ id: 'failing' }), { id: 'yearly', rule: { cron: '0 0 25 12 *' } }],
      request,
    )) as [number, number];
    await skipNext(database.pool, { ref: { id: yearly }, actor: 'ops', now: T0 });
    const [run] = (await engine.claim(T0)) as [ClaimedRun];
    await engine.fail(run, T0);
    await retain({}, T0 + 30 * DAY_MS);
    expect(await engine.runsOf(failing)).toMatchObject([{ status: 'retrying' }]);
    expect(await engine.runsOf(yearly)).toMatchObject([{ status: 'skipped' }]);
    await retain({}, T0 + 400 * DAY_MS);
    expect(await engine.runsOf(failing)).toMatchObject([{ status: 'retrying' }]);
    expect(await engine.runsOf(yearly)).toEqual([]);
  });

  it('if an occurrence is skipped long before it is due, its skipped run is kept when retention drops the partition of the month in which the skip was recorded', async () => {
    const [yearly] = (await insertSchedules(database, [{ id: 'christmas', rule: { cron: '0 0 25 12 *' } }], {
      nowAt: T0 - DAY_MS,
    })) as [number];
    await skipNext(database.pool, { ref: { id: yearly }, actor: 'ops', now: T0 });
    await retain({ runs: 30 }, T0 + 100 * DAY_MS);
    expect(await engine.runsOf(yearly)).toMatchObject([{ status: 'skipped' }]);
  });

  it('retention keeps a replaced definition as long as a run that executed it', async () => {
    const [id] = (await insertSchedules(database, [{ id: 'edited', rule: { every: 'P1D' } }], {
      nowAt: T0 - DAY_MS,
    })) as [number];
    const [run] = (await engine.claim(T0)).filter(({ scheduleId }) => scheduleId === id) as [ClaimedRun];
    await engine.fail(run, T0);
    const definition = draft({ id: 'edited', rule: { every: 'P2D' } }, T0);
    await editSchedule(database.pool, { ref: { id }, actor: 'ops', now: T0 + 1 }, definition);
    await backdate();
    await retain({ runs: 30 });
    expect(await count('schedule_versions', `schedule_id = ${id}`)).toBe(1);
    await database.pool.query(`delete from carillon.runs where schedule_id = ${id}`);
    await retain({ runs: 30 });
    expect(await count('schedule_versions', `schedule_id = ${id}`)).toBe(0);
  });
});

it('retention passes over a table that another transaction has locked, prunes the other tables meanwhile, and prunes this one the next time', async () => {
  const [id] = await insertSchedules(database, [{ id: 'gappy', rule: { every: 'P1D' } }], {
    nowAt: T0 - DAY_MS,
  });
  await database.pool.query(
    `insert into carillon.gaps (project_id, schedule_id, version, from_at, to_at, count, reason_code, reason, created_at)
     select 1, ${id}, 1, at, at, 1, 'misfire', 'missed', at from to_timestamp(${T0} / 1000.0) as at`,
  );
  await backdate();
  const holder = await database.pool.connect();
  try {
    await holder.query('begin; lock table carillon.gaps in exclusive mode');
    // Without a lock time-out, the statement would wait until Postgres cancels it after 8 s, and retention would throw.
    await retain({ runs: 30, audit: 30 });
    expect(await count('gaps', `schedule_id = ${id}`)).toBe(1);
    expect(await count('audit_log', `subject = 'gappy'`)).toBe(0);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  await retain({ runs: 30 });
  expect(await count('gaps', `schedule_id = ${id}`)).toBe(0);
});

describe('the audit log', () => {
  const entries = () => count('audit_log', `actor = 'guard'`);
  const write = (at: string) =>
    database.pool.query(
      `insert into carillon.audit_log (project_id, at, actor, action) values (1, ${at}, 'guard', 'test')`,
    );

  it('retention deletes old entries of the audit log and leaves younger ones', async () => {
    await write(`now() - interval '40 days'`);
    await write(`now() - interval '20 days'`);
    await retain({ audit: 30 }, null);
    expect(await entries()).toBe(1);
  });

  it('no statement outside retention can update, delete or truncate entries of the audit log', async () => {
    await write(`now() - interval '40 days'`);
    const kept = await entries();
    for (const statement of [
      'delete from carillon.audit_log',
      `update carillon.audit_log set actor = 'x'`,
      'truncate carillon.audit_log',
    ])
      await expect(database.pool.query(statement)).rejects.toThrow('audit_log is append-only');
    expect(await entries()).toBe(kept);
  });

  it('retention can neither change nor truncate the audit log, and can delete no entry that is younger than its cutoff or than a day', async () => {
    await write(`now() - interval '2 hours'`);
    await write(`now() - interval '40 days'`);
    const as = (before: string, statement: string) =>
      database.pool.query(
        `begin; select set_config('carillon_retention.before', (${before})::text, true); ${statement}; commit`,
      );
    for (const [before, statement] of [
      [`now() + interval '1 day'`, `delete from carillon.audit_log where at > now() - interval '1 day'`],
      [`now() - interval '50 days'`, 'delete from carillon.audit_log'],
      ['now()', `update carillon.audit_log set actor = 'x' where at < now() - interval '30 days'`],
      ['now()', 'truncate carillon.audit_log'],
    ] as const)
      await expect(as(before, statement), statement).rejects.toThrow('audit_log is append-only');
  });
});

it('if runs, schedules and audit entries have a retention, one prune deletes an old schedule together with its audit entries', async () => {
  await insertSchedules(database, [once({ id: 'whole' })], { nowAt: T0 - DAY_MS });
  await fire();
  await backdate();
  const report = await retain(MONTH);
  expect(report.deleted).toMatchObject({ schedules: expect.any(Number), audit_log: expect.any(Number) });
  expect(await count('schedules', `key = 'whole'`)).toBe(0);
  expect(await count('audit_log', `subject = 'whole'`)).toBe(0);
});
