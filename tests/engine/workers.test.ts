import { nextOccurrences, readTiming } from '@carillon/shared';
import { eventually, insertSchedules, useDatabase, useProcesses } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);

const count = async (text: string, values: unknown[] = []) =>
  (await database.pool.query<{ n: number }>(text, values)).rows[0]?.n ?? 0;

describe('Five worker processes', () => {
  beforeAll(async () => {
    await Promise.all(Array.from({ length: 5 }, () => processes.worker()));
  });

  it('five workers make exactly one run of a schedule that is due now, and leave no lease', async () => {
    const [id] = await insertSchedules(database, [{ rule: { at: new Date(Date.now() - 1).toISOString() } }]);
    const succeeded = `select count(*) as n from carillon.runs where schedule_id = $1 and status = 'succeeded'`;
    await eventually(async () => (await count(succeeded, [id])) === 1);
    expect(await count('select count(*) as n from carillon.runs where schedule_id = $1', [id])).toBe(1);
    expect(await count('select count(*) as n from carillon.leases')).toBe(0);
  });

  it('five workers make exactly one run for every occurrence of 20 schedules that fire every second, and none is early (invariants I1, I2, I6)', async () => {
    const startedAt = Date.now();
    const ids = await insertSchedules(
      database,
      Array.from({ length: 20 }, () => ({ rule: { every: 'PT1S' } })),
      { nowAt: startedAt },
    );
    const untilAt = startedAt + 8_000;
    await eventually(async () => {
      const { rows } = await database.pool.query(
        'select from carillon.agenda where schedule_id = any($1) and due_at <= to_timestamp($2::float8 / 1000)',
        [ids, untilAt],
      );
      return rows.length === 0;
    });
    const { rows } = await database.pool.query<{
      id: number;
      timing: string;
      occurrences: number[];
      early: number;
    }>(
      `select s.id, s.timing, array_agg(date_part('epoch', r.occurrence_at) * 1000 order by r.occurrence_at) as occurrences,
              count(*) filter (where r.claimed_at < r.due_at) as early
       from carillon.schedules s join carillon.runs r on r.schedule_id = s.id
       where s.id = any($1) and r.occurrence_at <= to_timestamp($2::float8 / 1000) group by 1, 2`,
      [ids, untilAt],
    );
    expect(rows.length).toBe(20);
    for (const row of rows) {
      const named = nextOccurrences(readTiming(row.timing), startedAt, 100).filter((at) => at <= untilAt);
      expect(row.occurrences.map(Math.round)).toEqual(named);
      expect(row.early).toBe(0);
    }
  });

  it('five workers share 5,000 runs that are due at the same instant without losing or duplicating one', async () => {
    const at = new Date(Date.now() + 1_500).toISOString();
    const ids = await insertSchedules(
      database,
      Array.from({ length: 5_000 }, () => ({ rule: { at } })),
    );
    await eventually(async () => {
      const done = await count(
        `select count(*) as n from carillon.runs where schedule_id = any($1) and status = 'succeeded'`,
        [ids],
      );
      return done === ids.length;
    });
    expect(await count('select count(*) as n from carillon.runs where schedule_id = any($1)', [ids])).toBe(
      ids.length,
    );
  });
});
