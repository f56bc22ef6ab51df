import { createProject } from '@carillon/db';
import { insertSchedules, useDatabase } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { storeForecasts } from '../src/loops/store-forecasts.js';
import { useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);
const never = new AbortController().signal;

/** When the forecast of each project was computed, by project. */
const stored = async () => {
  const { rows } = await database.pool.query<{ id: number; at: number }>(
    'select project_id as id, computed_at as at from carillon.forecasts order by project_id',
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
};
const age = (projectId: number, by: string) =>
  database.pool.query(
    'update carillon.forecasts set computed_at = computed_at - $2::interval where project_id = $1',
    [projectId, by],
  );

let large = 0;

async function project(key: string): Promise<number> {
  const created = await createProject(database.pool, {
    draft: { key, name: key, defaultTarget: null, limits: {} },
    actor: 'test',
    seal: null,
    sealTarget: () => null,
  });
  return created?.id ?? 0;
}

beforeAll(async () => {
  large = await project('large');
  const small = await project('small');
  const schedules = Array.from({ length: 1_000 }, (_, n) => ({ rule: { cron: `${n % 60} * * * *` } }));
  await insertSchedules(database, schedules, { projectId: large });
  await insertSchedules(database, schedules.slice(1), { projectId: small });
});

describe('storing forecasts', () => {
  it('a worker stores the forecasts of projects with a thousand schedules or more, and of no smaller project', async () => {
    await storeForecasts(worker.context, never);
    expect([...(await stored()).keys()]).toEqual([large]);
  });

  it('a worker computes a forecast again after a minute, and not while a recent one is stored', async () => {
    const first = (await stored()).get(large);
    await storeForecasts(worker.context, never);
    expect((await stored()).get(large)).toBe(first);
    await age(large, '1 minute');
    await storeForecasts(worker.context, never);
    expect((await stored()).get(large)).toBeGreaterThanOrEqual(first ?? Number.POSITIVE_INFINITY);
  });

  it('a worker that is stopping leaves forecasts to the other workers', async () => {
    await age(large, '2 minutes');
    const before = await stored();
    await storeForecasts(worker.context, AbortSignal.abort());
    expect(await stored()).toEqual(before);
  });
});
