import { eventually, useDatabase } from '@carillon/testkit';
import { beforeAll, expect, it } from 'vitest';
import { type Program, usePrograms } from '../use-programs.js';
import { useHttp } from './http.js';

const database = useDatabase();
const programs = usePrograms(database);
let api: Program & { url: string };
const ask = useHttp(() => api.url);

/** An interval between sweeps (the periodic passes over Postgres) that is longer than this test. */
const RARE_SWEEPS = { SWEEP_INTERVAL_MS: '60000', ARM_HORIZON_MS: '180000' };

beforeAll(async () => {
  api = await programs.api({ env: RARE_SWEEPS });
  await programs.worker({ env: RARE_SWEEPS });
});

it('a schedule whose pause has an end runs again at its first occurrence after that end, even if no sweep (a periodic pass of a worker over Postgres) happens', async () => {
  await ask('POST', '/v1/schedules', {
    id: 'breather',
    rule: { every: 'PT3S' },
    target: { type: 'handler', name: 'noop' },
  });
  // The bell (the delayed job that wakes a worker) of the first occurrence rings during the pause, so no run starts.
  const until = new Date(Date.now() + 4_000).toISOString();
  expect((await ask('POST', '/v1/schedules/breather/pause', { until })).status).toBe(200);
  await eventually(
    async () => {
      const { items } = (await ask('GET', '/v1/runs?schedule=breather&status=succeeded')).body;
      return items.some(({ occurrenceAt }: { occurrenceAt: string }) => occurrenceAt > until);
    },
    { what: 'a run after the pause' },
  );
});
