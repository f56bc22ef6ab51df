import { createProject } from '@carillon/db';
import { insertSchedules, useDatabase } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { ForecastKeeper } from '../src/loops/forecast-keeper.js';
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

/** Just enough schedules for a project whose forecast is stored. */
const HOURLY = Array.from({ length: 1_000 }, (_, n) => ({ rule: { cron: `${n % 60} * * * *` } }));
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
  await insertSchedules(database, HOURLY, { projectId: large });
  await insertSchedules(database, HOURLY.slice(1), { projectId: small });
});

describe('storing forecasts', () => {
  it('a worker stores forecasts of the coming fires for projects with a thousand schedules or more, and for no smaller project', async () => {
    await new ForecastKeeper(worker.context).store(never);
    expect([...(await stored()).keys()]).toEqual([large]);
  });

  it('a worker computes the forecast of a project again after a minute, and not sooner', async () => {
    const first = (await stored()).get(large);
    await new ForecastKeeper(worker.context).store(never);
    expect((await stored()).get(large)).toBe(first);
    await age(large, '1 minute');
    await new ForecastKeeper(worker.context).store(never);
    expect((await stored()).get(large)).toBeGreaterThanOrEqual(first ?? Number.POSITIVE_INFINITY);
  });

  it('a worker that is stopping leaves forecasts to the other workers', async () => {
    await age(large, '2 minutes');
    const before = await stored();
    await new ForecastKeeper(worker.context).store(AbortSignal.abort());
    expect(await stored()).toEqual(before);
  });

  it('a rule that can no longer be evaluated makes the stored forecast of its project incomplete, and the other schedules are counted', async () => {
    const broken = await project('with a broken rule');
    const input = { rule: { cron: '* * * * *' }, timezone: 'Europe/Berlin' };
    const [id] = await insertSchedules(database, [input], { projectId: broken });
    await insertSchedules(database, HOURLY, { projectId: broken });
    await database.pool.query(
      `update carillon.schedules set timing = replace(timing, 'Europe/Berlin', 'Mars/Base') where id = $1`,
      [id],
    );
    await new ForecastKeeper(worker.context).store(never);
    const { rows } = await database.pool.query<{ isComplete: boolean; fires: number }>(
      `select is_complete as "isComplete", (select sum(f) from unnest(fires) as f) as fires
       from carillon.forecasts where project_id = $1`,
      [broken],
    );
    expect(rows).toMatchObject([{ isComplete: false }]);
    // Each of 1,000 schedules fires 24 times a day, and the schedule with the broken rule counts once.
    expect(Number(rows[0]?.fires)).toBeGreaterThanOrEqual(24_001);
  });

  it('if the forecast of a project fails, the failure is logged, the other projects get their forecasts, and the project comes last next time', async () => {
    const failing = await project('failing');
    await insertSchedules(database, HOURLY, { projectId: failing });
    // Cancels the statement for one project, as Postgres does at a time-out. The sequences survive the rollback: one
    // counts all tries, and the other holds the number of the last try for this project.
    await database.pool.query(
      `create sequence public.tries;
       create sequence public.failing_try;
       create function public.cancel_forecast() returns trigger language plpgsql as $$ begin
         if new.project_id <> ${failing} then perform nextval('public.tries'); return new; end if;
         perform setval('public.failing_try', nextval('public.tries'));
         raise exception 'canceling statement due to statement timeout' using errcode = '57014';
       end $$;
       create trigger cancel_forecast before insert on carillon.forecasts
       for each row execute function public.cancel_forecast()`,
    );
    const tries = async () => {
      const { rows } = await database.pool.query<{ all: string; failing: string }>(
        'select (select last_value from public.tries) as all, (select last_value from public.failing_try) as failing',
      );
      return { all: Number(rows[0]?.all), failing: Number(rows[0]?.failing) };
    };
    const keeper = new ForecastKeeper(worker.context);
    const others = (await stored()).size;
    for (const projectId of (await stored()).keys()) await age(projectId, '1 minute');
    const before = await stored();
    await keeper.store(never);
    expect(await tries()).toEqual({ all: others + 1, failing: 1 });
    for (const [projectId, at] of await stored()) expect(at).toBeGreaterThan(before.get(projectId) ?? 0);
    expect(worker.messages).toEqual([
      'The forecast of a project could not be stored; it is tried again in a minute',
    ]);

    for (const projectId of before.keys()) await age(projectId, '1 minute');
    await keeper.store(never);
    expect(await tries()).toEqual({ all: 2 * (others + 1), failing: 2 * (others + 1) });
  });
});
