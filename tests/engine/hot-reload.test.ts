import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, insertSchedules, useDatabase, useProcesses } from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);

/**
 * The URL of the built worker package. The handlers are outside the repository, so they can't import the package by
 * name.
 */
const WORKER = new URL('../../apps/worker/dist/index.js', import.meta.url).href;
const handlerThatReports = (version: number) =>
  `export const report = (progress) => progress({ version: ${version} });`;

it('a worker with CARILLON_WATCH exits with code 75 when a file of its handlers changes, and the next worker runs the new code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-handlers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'report.mjs'), handlerThatReports(1));
  await writeFile(
    join(folder, 'handlers.mjs'),
    `import { defineHandler } from '${WORKER}';
     import { report } from './report.mjs';
     defineHandler({ name: 'reports-version', run: ({ progress }) => report(progress) });`,
  );
  const env = { CARILLON_WATCH: 'true', CARILLON_HANDLERS: join(folder, 'handlers.mjs') };
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
    });
  };

  const first = await processes.worker({ env });
  expect(await runOnce()).toEqual({ version: 1 });
  await writeFile(join(folder, 'report.mjs'), handlerThatReports(2));
  await eventually(() => !first.isRunning);
  expect(first.child.exitCode).toBe(75);
  await processes.worker({ env });
  expect(await runOnce()).toEqual({ version: 2 });
});
