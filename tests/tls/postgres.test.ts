import { chmod, chown, copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@carillon/db';
import { ADMIN_KEY, eventually, startOwnServers, useDatabase, useProcesses } from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { makeCertificates } from '../redis/native-redis.js';

const database = useDatabase();
const processes = useProcesses(database);

type Pool = ReturnType<typeof openDatabase>;

/** Opens a pool for the calling test. */
function openPool(url: string): Pool {
  const pool = openDatabase({ url, max: 1, applicationName: 'test', onError: () => {} });
  onTestFinished(() => pool.end());
  return pool;
}

/** Switches TLS of Postgres on. Postgres demands that the file with its key belongs to the user as which it runs. */
async function switchTlsOn(pool: Pool, files: { cert: string; key: string }): Promise<void> {
  const { rows } = await pool.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
  const folder = rows[0]?.folder ?? '';
  const { uid, gid } = await stat(folder);
  for (const [source, name] of [
    [files.cert, 'server.crt'],
    [files.key, 'server.key'],
  ] as const) {
    await copyFile(source, join(folder, name));
    await chown(join(folder, name), uid, gid);
    await chmod(join(folder, name), 0o600);
  }
  await pool.query('alter system set ssl = on');
  await pool.query('select pg_reload_conf()');
  await eventually(async () => (await pool.query('show ssl')).rows[0].ssl === 'on', { what: 'TLS' });
}

it('an API and a worker connect to Postgres over TLS if sslrootcert names its private CA; with another CA they end with one line that says what is wrong', async () => {
  const certificates = makeCertificates();
  const servers = await startOwnServers({ redisUrl: database.redisUrl });
  onTestFinished(() => servers.stop());
  await switchTlsOn(openPool(servers.databaseUrl), certificates);
  const trusting = (ca: string) => {
    const search = `?sslmode=verify-full&sslrootcert=${encodeURIComponent(ca)}`;
    return { env: { DATABASE_URL: Object.assign(new URL(servers.databaseUrl), { search }).toString() } };
  };

  const stranger = trusting(makeCertificates().ca);
  for (const [app, start] of [
    ['api', () => processes.api(stranger)],
    ['worker', () => processes.worker(stranger)],
  ] as const)
    await expect(start()).rejects.toThrow(
      new RegExp(
        `ended: \\[\\{"msg":"carillon ${app}: the certificate of Postgres is refused \\([^"]+\\): [^"]*sslrootcert[^"]*"\\}\\]$`,
      ),
    );

  const trusted = trusting(certificates.ca);
  const api = await processes.api({ env: { ...trusted.env, CARILLON_ADMIN_KEY: ADMIN_KEY } });
  const worker = await processes.worker(trusted);
  const created = await fetch(`${api.url}/v1/schedules`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ rule: { in: 'PT0.1S' }, target: { type: 'handler', name: 'noop' } }),
  });
  expect(created.status).toBe(201);
  const pool = openPool(trusted.env.DATABASE_URL);
  await eventually(
    async () => (await pool.query(`select from carillon.runs where status = 'succeeded'`)).rowCount === 1,
    { withinMs: 20_000, what: 'a fire' },
  );
  const { rows } = await pool.query(
    `select application_name as name, bool_and(ssl) as "isEncrypted" from pg_stat_activity join pg_stat_ssl using (pid)
     where application_name in ('carillon-api', 'carillon-worker') group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { name: 'carillon-api', isEncrypted: true },
    { name: 'carillon-worker', isEncrypted: true },
  ]);
  await worker.end();
  await api.end();
});
