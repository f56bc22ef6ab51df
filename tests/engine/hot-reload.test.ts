import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, insertSchedules, TestProcess, useDatabase } from '@carillon/testkit';
import { expect, inject, it, onTestFinished } from 'vitest';

const database = useDatabase();

/** URLs of built packages. The handlers are outside the repository, so they can't import the packages by name. */
const WORKER = new URL('../../apps/worker/dist/index.js', import.meta.url).href;
const EMBEDDED = new URL('../../packages/embedded/dist/index.js', import.meta.url).href;
/** Long, because an API and a worker start on a machine that may be busy. */
const STARTED = { withinMs: 90_000 };

const handlerThatReports = (version: number) =>
  `export const report = (progress) => progress({ version: ${version} });`;

/** Starts the supervisor that `npm start` and `carillon start` run, with the built API and worker. */
async function startSupervisor(folder: string, env: Record<string, string>): Promise<TestProcess> {
  const entries = { api: join(inject('apps'), 'api.mjs'), worker: join(inject('apps'), 'worker.mjs') };
  await writeFile(
    join(folder, 'start.mjs'),
    `import { supervise } from '${EMBEDDED}';
     process.exit(await supervise({ root: ${JSON.stringify(folder)}, entries: ${JSON.stringify(entries)} }));`,
  );
  const child = spawn(process.execPath, [join(folder, 'start.mjs')], {
    env: { PATH: process.env.PATH, PORT: '0', WORKERS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const supervisor = new TestProcess(child);
  onTestFinished(() => supervisor.end());
  return supervisor;
}

it('npm start replaces a worker when a file of its handlers changes, and the next run executes the new code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-handlers-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'report.mjs'), handlerThatReports(1));
  await writeFile(
    join(folder, 'handlers.mjs'),
    `import { defineHandler } from '${WORKER}';
     import { report } from './report.mjs';
     defineHandler({ name: 'reports-version', run: ({ progress }) => report(progress) });`,
  );
  const supervisor = await startSupervisor(folder, {
    DATABASE_URL: database.url,
    REDIS_URL: database.redisUrl,
    REDIS_PREFIX: database.prefix,
    SWEEP_INTERVAL_MS: '500',
    CARILLON_HOME: join(folder, 'home'),
    CARILLON_HANDLERS: join(folder, 'handlers.mjs'),
    CARILLON_WATCH: 'true',
  });
  const runOnce = async () => {
    const rule = { at: new Date().toISOString() };
    const [id] = await insertSchedules(database, [
      { rule, target: { type: 'handler', name: 'reports-version' } },
    ]);
    return eventually(async () => {
      const { rows } = await database.pool.query(
        `select progress from carillon.runs where schedule_id = $1 and status = 'succeeded'`,
        [id],
      );
      return rows[0]?.progress;
    }, STARTED);
  };

  expect(await runOnce()).toEqual({ version: 1 });
  await writeFile(join(folder, 'report.mjs'), handlerThatReports(2));
  await supervisor.logged('worker-1 starts again with changed handlers', STARTED);
  expect(await runOnce()).toEqual({ version: 2 });
}, 240_000);
