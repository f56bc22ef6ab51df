import { once } from 'node:events';
import { rescueRuns } from '@carillon/db';
import { eventually, useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';
import type { HandlerDefinition } from '../src/define.js';
import { Registry } from '../src/registry.js';
import { insertDue, readRun, startTestWorker } from './support.js';

const database = useDatabase();

it('a worker that has lost its lease and then stops hands back the attempts that had not begun, so that they do not count', async () => {
  let begun = 0;
  const handler: HandlerDefinition = {
    name: 'one-at-a-time',
    concurrency: 1,
    run: async ({ signal }) => {
      begun++;
      await once(signal, 'abort');
    },
  };
  const registry = new Registry({ handlers: [handler], schedules: [] });
  // The worker extends its leases only every twenty seconds. So it is stopped before it notices that it has lost its
  // lease.
  const env = { LEASE_MS: '60000' };
  const worker = await startTestWorker(database, env, undefined, registry);
  const input = { target: { type: 'handler' as const, name: 'one-at-a-time' }, retry: { maxAttempts: 1 } };
  const ids = [await insertDue(database, input), await insertDue(database, input)];
  const runs = () => Promise.all(ids.map((id) => readRun(database, id)));
  await eventually(async () => begun === 1 && (await runs()).every((run) => run?.status === 'running'));
  expect(await rescueRuns(database.pool, Date.now() + 120_000)).toHaveLength(2);
  await worker.stop();
  const seen = (await runs()).map((run) => ({ status: run?.status, freeAttempts: run?.freeAttempts }));
  expect(seen).toHaveLength(2);
  expect(seen).toContainEqual({ status: 'failed', freeAttempts: 0 });
  expect(seen).toContainEqual({ status: 'retrying', freeAttempts: 1 });
});
