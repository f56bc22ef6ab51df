import { insertSchedules, useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();

it('a schedule whose first occurrence was computed by a clock ahead of Postgres gets its createdAt from that clock, so that no earlier occurrence is missing', async () => {
  const aheadAt = Date.now() + 60_000;
  const [ahead] = await insertSchedules(database, [{ rule: { every: 'PT1S' } }], { nowAt: aheadAt });
  const [behind] = await insertSchedules(database, [{ rule: { every: 'PT1S' } }], {
    nowAt: aheadAt - 120_000,
  });
  const { rows } = await database.pool.query(
    `select created_at as "createdAt", updated_at as "updatedAt", defined_at as "definedAt", statement_timestamp() as "nowAt"
     from carillon.schedules where id = any($1) order by id`,
    [[ahead, behind]],
  );
  expect(rows[0]).toMatchObject({ createdAt: aheadAt, updatedAt: aheadAt, definedAt: aheadAt });
  expect(rows[1].createdAt).toBeLessThan(aheadAt);
  expect(rows[1].createdAt).toBeGreaterThan(aheadAt - 120_000);
});
