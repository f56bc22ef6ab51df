import type { Bells } from '@carillon/queue';
import { useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { useParts } from './support.js';

const database = useDatabase();
const workers = [useParts(database), useParts(database)];

it('two workers with the same pid, which is 1 in every container, add bells (wake-up jobs) with different ids, so that Redis keeps both', async () => {
  const ringAt = Date.now() + 30_000;
  const [{ queue }] = workers.map(({ context }) => context.bells as Bells) as [Bells];
  for (const { context } of workers) {
    const bells = context.bells as Bells;
    // A bell that is added again has an id of its process.
    await bells.rearm([ringAt]);
  }
  const jobs = await queue.getJobs(['delayed']);
  const ids = jobs.filter(({ data }) => data.ringAt >= ringAt).map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
});
