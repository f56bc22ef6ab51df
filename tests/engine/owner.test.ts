import { applyRetention, migrate, openDatabase } from '@carillon/db';
import { DAY_MS } from '@carillon/shared';
import { eventually, insertSchedules, testServers, useEngine, useOwnedDatabase } from '@carillon/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runDoctor } from '../../packages/carillon/src/doctor/run-doctor.js';
import { usePrograms } from '../use-programs.js';

const database = useOwnedDatabase();
const engine = useEngine(database);
const programs = usePrograms(database);
const T0 = Date.parse('2020-02-10T10:00:00Z');

const count = async (table: string): Promise<number> =>
  (await database.pool.query(`select count(*)::int as n from carillon.${table}`)).rows[0].n;
const examine = async () => {
  const checks = await runDoctor({
    DATABASE_URL: database.url,
    REDIS_URL: 'none',
    CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  return (name: string) => checks.find((check) => check.name === name);
};

/** Runs a statement as a superuser. */
async function administer(text: string): Promise<void> {
  const { databaseUrl: url } = testServers();
  const pool = openDatabase({ url, max: 1, applicationName: 'test', onError: () => {} });
  onTestFinished(() => pool.end());
  await pool.query(text);
}

beforeAll(() => migrate(database.url));

describe('A role that owns its database and is no superuser', () => {
  it('the owner of a database without superuser rights can migrate it, claim and close runs, and apply retention', async () => {
    const { rows } = await database.pool.query(
      'select rolsuper as "isSuperuser" from pg_roles where rolname = current_user',
    );
    expect(rows).toEqual([{ isSuperuser: false }]);
    await insertSchedules(database, [{ rule: { at: new Date(T0).toISOString() } }]);
    const [run] = await engine.claim(T0);
    if (!run) throw new Error('no run was claimed');
    expect(await engine.succeed(run, T0 + 1)).toBe(1);
    expect(await count('runs')).toBe(1);
    expect(await count('audit_log')).toBe(1);
    // Retention never deletes an audit entry of the last day. The owner of the table may disable the trigger that keeps
    // its entries from being changed.
    await database.pool.query(`
      alter table carillon.audit_log disable trigger user;
      update carillon.audit_log set at = to_timestamp(${T0} / 1000.0);
      alter table carillon.audit_log enable trigger user`);
    await applyRetention(database.pool, {
      defaults: { runs: 30, schedules: 30, audit: 30 },
      now: Date.now() + 365 * DAY_MS,
    });
    expect([await count('runs'), await count('schedules'), await count('audit_log')]).toEqual([0, 0, 0]);
  });

  it('an API and a worker that connect as the owner of the database, without superuser rights, fire a schedule', async () => {
    const api = await programs.api();
    const worker = await programs.worker();
    const rule = { at: new Date(Date.now() + 100).toISOString() };
    const [id] = await insertSchedules(database, [{ rule }]);
    await eventually(
      async () =>
        (
          await database.pool.query(
            `select from carillon.runs where schedule_id = $1 and status = 'succeeded'`,
            [id],
          )
        ).rowCount === 1,
      { withinMs: 20_000, what: 'a fire' },
    );
    expect((await fetch(`${api.url}/metrics`)).status).toBe(200);
    await worker.end();
    await api.end();
  });

  it('carillon doctor warns a role that cannot see the transactions of others, and names the grant that lets it see them', async () => {
    const before = await examine();
    expect(before('migrations')?.status).toBe('ok');
    expect(before('longest transaction')).toMatchObject({
      status: 'warning',
      advice: `Run as an administrator: grant pg_monitor to "${database.role}".`,
    });
    await administer(`grant pg_monitor to "${database.role}"`);
    expect((await examine())('longest transaction')?.status).toBe('ok');
  });
});
