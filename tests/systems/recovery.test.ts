import { readMissed } from '@carillon/db';
import { eventually, useDatabase, useProcesses } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { useUsers } from './users.js';

const database = useDatabase();
const processes = useProcesses(database);
const users = useUsers({ pool: () => database.pool, projectId: database.projectId });

const DAY = 86_400_000;
const dateBefore = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(5, 10);

/** Everything was down while these had their birthday: 7 days, 3 days and 1 day ago. */
async function missed(): Promise<string[]> {
  const ago = [7, 3, 1];
  return Promise.all(
    ago.map((days) =>
      users.create(
        { dateOfBirth: `1992-${dateBefore(days)}`, timezone: 'UTC', leapDay: 'mar1' },
        Date.now() - 10 * DAY,
      ),
    ),
  );
}

describe('A worker that starts after a downtime', () => {
  it('finds nothing to recover where nothing was missed', async () => {
    const worker = await processes.worker();
    expect(worker.lines.map(({ msg }) => msg)).toContain('Starting recovery check');
    expect(worker.lines.map(({ msg }) => msg)).toContain('No missed events found');
    await worker.end();
  });

  it('first says what was missed, from the oldest to the newest, then has it delivered, each once', async () => {
    const keys = await missed();
    // The look itself changes nothing, however often it is taken.
    const looks = [0, 0].map(() => readMissed(database.pool, { olderThanMs: 0, now: null }));
    const [first, second] = await Promise.all(looks);
    expect(second).toEqual(first);
    expect(first?.count).toBe(3);

    const worker = await processes.worker();
    const found = worker.lines.find(({ msg }) => msg === 'Missed events found');
    expect(found).toMatchObject({ level: 30, count: 3 });
    expect(found?.oldestEventTimestamp).toContain(`${dateBefore(7)}T09:00:00.000Z`);
    expect(found?.newestEventTimestamp).toContain(`${dateBefore(1)}T09:00:00.000Z`);

    await eventually(async () => {
      const { rows } = await database.pool.query(`select status from every_run`);
      return rows.length === 3 && rows.every(({ status }) => status === 'succeeded');
    });
    for (const key of keys) expect(Date.parse((await users.next(key)) ?? '')).toBeGreaterThan(Date.now());
    await worker.end();
  });

  it('does not deliver again what was recovered already', async () => {
    const worker = await processes.worker();
    expect(worker.lines.map(({ msg }) => msg)).toContain('No missed events found');
    expect((await database.pool.query('select from every_run')).rowCount).toBe(3);
  });
});
