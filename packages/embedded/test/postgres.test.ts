import { execFileSync } from 'node:child_process';
import { chown, cp, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startOnFreePort } from '../src/free-port.js';
import { homePaths, prepareHome } from '../src/home.js';
import { isAlive } from '../src/pid-file.js';
import { binariesIn, findPostgresBinaries } from '../src/postgres/binaries.js';
import { foldersToEnter, openCluster, POSTGRES_USER } from '../src/postgres/cluster.js';
import { asUser, type RunAs, waysToRunNewCluster } from '../src/postgres/run-as.js';
import { runPostgres } from '../src/postgres/run-postgres.js';
import { settingFlags } from '../src/postgres/settings.js';
import { startPostgres } from '../src/postgres/start-postgres.js';
import { GIVEN_SERVERS, postgresPid, startSupervisor, temporaryHome } from './supervisor-process.js';

const isRoot = process.getuid?.() === 0;
const silent = { info: () => undefined, warn: () => undefined };

/** Starts a Postgres that is durable, as in real use, because these tests kill it. */
async function start(home: string, ways?: RunAs[]) {
  const paths = await prepareHome(home);
  const postgres = await startPostgres({ paths, settings: {}, log: silent, ...(ways && { ways }) });
  onTestFinished(() => postgres.stop());
  return postgres;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('the embedded Postgres is durable, uses UTC and UTF-8, and asks for a password', async () => {
  const { url } = await start(temporaryHome());
  const settings = await query(
    url,
    `select name, setting from pg_settings
     where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'TimeZone', 'server_encoding') order by 1`,
  );
  expect(settings).toEqual([
    { name: 'TimeZone', setting: 'UTC' },
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'server_encoding', setting: 'UTF8' },
    { name: 'synchronous_commit', setting: 'on' },
  ]);
  await expect(query(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(/password/);
});

test('data of the embedded Postgres survives a stop, and a killed Postgres restarts with everything that was committed', async () => {
  const home = temporaryHome();
  const first = await start(home);
  await query(first.url, 'create table kept (n int); insert into kept values (1)');
  await first.stop();
  const second = await start(home);
  await query(second.url, 'insert into kept values (2)');
  process.kill(postgresPid(home), 'SIGKILL');
  await expect
    .poll(() => query(second.url, 'select n from kept order by n').catch(() => null), { timeout: 10_000 })
    .toEqual([{ n: 1 }, { n: 2 }]);
});

test('startPostgres stops an embedded Postgres that was left running on the same data folder, and keeps its data', async () => {
  const home = temporaryHome();
  const first = await start(home);
  await query(first.url, 'create table kept (n int)');
  await first.stop();
  const leftBehind = await runUnsupervised(home);
  const second = await start(home);
  expect(isAlive(leftBehind)).toBe(false);
  expect(await query(second.url, 'select * from kept')).toEqual([]);
});

/** Starts Postgres on the data folder of this home, and does not restart it when it ends. */
async function runUnsupervised(home: string, binaries = findPostgresBinaries()): Promise<number> {
  const paths = homePaths(home);
  const cluster = await openCluster({ paths, binaries, sync: true });
  const { started } = await startOnFreePort((port) =>
    runPostgres({
      binaries,
      cluster,
      flags: ['-p', String(port), ...settingFlags(binaries, {})],
      url: `postgres://${POSTGRES_USER}:${cluster.password}@127.0.0.1:${port}/postgres`,
      logFile: join(paths.logsDir, 'postgres.log'),
    }),
  );
  onTestFinished(() => started.stop());
  return started.pid;
}

test('the embedded Postgres starts even if its old postmaster.pid names a process that is not Postgres', async () => {
  const home = temporaryHome();
  await (await start(home)).stop();
  await writeFile(
    join(home, 'postgres', 'postmaster.pid'),
    `${process.ppid}\n${home}/postgres\n1\n5432\n\n*\n\n`,
  );
  const { url } = await start(home);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(isAlive(process.ppid)).toBe(true);
});

/**
 * The folders that another user must be able to enter. They may be below a private folder, such as the home of root.
 */
const FOLDERS = [tmpdir(), dirname(findPostgresBinaries().postgres), import.meta.dirname];

test.runIf(isRoot).each(waysToRunNewCluster(FOLDERS))(
  'root can run the embedded Postgres $how, and can start it again after a stop',
  async (way) => {
    const home = temporaryHome();
    const first = await start(home, [way]);
    expect(first.kind).toContain('Postgres 18');
    expect((await stat(join(home, 'postgres'))).uid).toBe(way.user?.uid ?? 0);
    await first.stop();
    const second = await start(home);
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  },
);

test.runIf(isRoot)(
  'an embedded Postgres that root starts as another user works in a folder that only root may enter',
  async () => {
    const privateFolder = temporaryHome();
    const { postgres } = findPostgresBinaries();
    await cp(dirname(dirname(postgres)), join(privateFolder, 'native'), { recursive: true });
    const binaries = binariesIn(join(privateFolder, 'native'));
    const paths = await prepareHome(join(privateFolder, 'home'));
    const [, asNobody] = waysToRunNewCluster(foldersToEnter(paths, binaries));
    expect(asNobody?.how).toBe('as nobody with permission to enter private folders');
    await openCluster({ paths, binaries, sync: false, ways: [asNobody as RunAs] });
    expect(isAlive(await runUnsupervised(paths.home, binaries))).toBe(true);
  },
);

test.runIf(isRoot)(
  'an embedded Postgres that was initialized in a user namespace starts on a machine without user namespaces',
  async () => {
    const home = temporaryHome();
    await (await start(home)).stop();
    const withoutUnshare = join(home, 'bin');
    await mkdir(withoutUnshare);
    for (const name of ['id', 'chown', 'test', 'setpriv'])
      await symlink(`/usr/bin/${name}`, join(withoutUnshare, name));
    const { REDIS_URL } = GIVEN_SERVERS;
    const supervisor = await startSupervisor(home, { REDIS_URL, PATH: withoutUnshare });
    await supervisor.ready();
    expect(supervisor.output()).toContain('run as nobody');
  },
);

test.runIf(isRoot)('an ordinary user can run the embedded Postgres', async () => {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  const nobody = { uid: id('-u'), gid: id('-g') };
  const home = temporaryHome();
  await chown(home, nobody.uid, nobody.gid);
  const supervisor = await startSupervisor(home, {}, asUser(nobody, 'nobody', FOLDERS));
  await supervisor.ready();
  expect(supervisor.output()).toContain('run as this user');
  supervisor.kill('SIGTERM');
  expect(await supervisor.exitCode).toBe(0);
});

test('if the disk is full, the start of the embedded Postgres fails with an error that says so', async () => {
  const says = 'initdb: error: could not write to file "base/1/2608": No space left on device';
  const onFullDisk: RunAs = { how: 'as this user', prefix: ['sh', '-c', `echo '${says}' >&2; exit 1`, '--'] };
  const home = temporaryHome();
  await expect(start(home, [onFullDisk])).rejects.toThrow(
    `The disk that holds CARILLON_HOME (${home}) is full: free some space`,
  );
});
