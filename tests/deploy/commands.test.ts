import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMIN_KEY, eventually, freePort, useDatabase } from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const serve = join(root, 'scripts/serve.mjs');
const database = useDatabase();
const home = mkdtempSync(join(tmpdir(), 'carillon-commands-'));
const started: ChildProcess[] = [];

afterAll(async () => {
  for (const child of started) if (child.exitCode === null) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

/** The environment variables of a container. They name a database schema that is not migrated yet. */
let environment: Record<string, string> = {};
beforeAll(async () => {
  environment = {
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: 'image',
    REDIS_URL: database.redisUrl,
    REDIS_PREFIX: `${database.prefix}-image`,
    CARILLON_ADMIN_KEY: ADMIN_KEY,
    CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
    CARILLON_HOME: home,
    MIGRATE_ON_START: 'false',
    WORKERS: '1',
    PORT: String(await freePort()),
    WORKER_PORT: String(await freePort()),
    PATH: process.env.PATH ?? '',
  };
});

/** Runs a command of the image with these environment variables only, as a container would. */
function run(command: string, more: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--enable-source-maps', serve, command], {
    env: { ...environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number);
  return { child, ended, output: () => output };
}

const isUp = (port: string | undefined, path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('Commands of the image', () => {
  it('an API and a worker with MIGRATE_ON_START=false refuse a database without tables, with one line that says why', async () => {
    for (const command of ['api', 'worker']) {
      const { ended, output } = run(command);
      expect(await ended).toBe(2);
      expect(output().trim().split('\n')).toHaveLength(1);
      expect(output()).toContain('run the command migrate first');
    }
  });

  it('the image command `migrate` uses DATABASE_DIRECT_URL, migrates the database, and ends', async () => {
    const unreachable = 'postgres://nobody@127.0.0.1:1/none';
    const first = run('migrate', { DATABASE_URL: unreachable, DATABASE_DIRECT_URL: database.url });
    expect([await first.ended, first.output()]).toEqual([
      0,
      'carillon migrate: the schema "image" is up to date\n',
    ]);
    // Migrating again does nothing, and succeeds.
    expect(await run('migrate').ended).toBe(0);
    const failed = run('migrate', { DATABASE_URL: unreachable });
    expect(await failed.ended).toBe(1);
    expect(failed.output()).toContain('carillon migrate: ');
  });

  it('the image command `preflight` names every setting that is missing', async () => {
    const missing = run('preflight', { REDIS_URL: '', CARILLON_ENCRYPTION_KEY: '' });
    expect(await missing.ended).toBe(2);
    expect(missing.output()).toMatch(/REDIS_URL: /);
    expect(missing.output()).toContain('CARILLON_ENCRYPTION_KEY: is not set');
    expect(missing.output()).not.toContain('DATABASE_URL');
    expect(await run('preflight').ended).toBe(0);
  });

  it('the image command `doctor` checks the installation, and exits with 1 if a check fails', async () => {
    const healthy = run('doctor');
    expect([await healthy.ended, healthy.output()]).toEqual([0, expect.stringMatching(/ok +migrations /)]);
    const unmigrated = run('doctor', { DATABASE_SCHEMA: 'empty' });
    expect(await unmigrated.ended).toBe(1);
    expect(unmigrated.output()).toMatch(/failed +migrations /);
  });

  it('the image command `restore` without an option says whether workers are held (claim nothing until an operator decides), and changes nothing', async () => {
    const restore = run('restore');
    expect([await restore.ended, restore.output()]).toEqual([
      0,
      expect.stringMatching(/^Workers are not held[\s\S]*Nothing was changed\.\n$/),
    ]);
  });

  it('in a clone of the repository, node_modules/.bin/carillon has the subcommand doctor', async () => {
    const child = spawn(join(root, 'node_modules/.bin/carillon'), ['doctor', '--help'], { stdio: 'pipe' });
    started.push(child);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    expect((await once(child, 'close'))[0]).toBe(0);
    expect(output).toContain('carillon doctor --strict');
  });

  it('the image commands `api` and `worker` start on a migrated database, health reports them, and SIGTERM ends them with code 0', async () => {
    expect(await run('health').ended).toBe(1);
    const processes = [run('api'), run('worker')];
    await eventually(() => isUp(environment.PORT, '/health/ready'), { withinMs: 60_000 });
    await eventually(() => isUp(environment.WORKER_PORT, '/health/ready'), { withinMs: 60_000 });
    expect(await run('health').ended).toBe(0);
    for (const { child } of processes) child.kill('SIGTERM');
    expect(await Promise.all(processes.map(({ ended }) => ended))).toEqual([0, 0]);
  }, 90_000);

  it('the image command `all` starts the API and its workers, and SIGTERM to it ends them all', async () => {
    const all = run('all');
    await eventually(() => all.output().includes('Carillon ready on'), { withinMs: 60_000 });
    expect(await isUp(environment.PORT, '/health/ready')).toBe(true);
    await eventually(() => isUp(environment.WORKER_PORT, '/health/ready'), { withinMs: 60_000 });
    all.child.kill('SIGTERM');
    expect(await all.ended).toBe(0);
    expect(await isUp(environment.WORKER_PORT, '/health/live')).toBe(false);
  }, 120_000);

  it('the container image refuses an unknown command, and lists the commands that it knows', async () => {
    const unknown = run('sweep');
    expect(await unknown.ended).toBe(2);
    expect(unknown.output()).toBe(
      'carillon: expected one of api, worker, migrate, all, health, preflight, doctor, restore, not "sweep"\n',
    );
  });
});
