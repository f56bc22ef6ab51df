import { readMissed } from '@carillon/db';
import { DAY_MS } from '@carillon/shared';
import { eventually, useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { usePrograms } from '../use-programs.js';
import { useUsers } from './users.js';

const database = useDatabase();
const programs = usePrograms(database);
const users = useUsers({ pool: () => database.pool, projectId: database.projectId });
const dateBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(5, 10);

/** Creates users whose birthdays were 7 days, 3 days and 1 day ago, while no worker ran. */
async function missed(): Promise<string[]> {
  const ago = [7, 3, 1];
  return Promise.all(
    ago.map((days) =>
      users.create(
        { dateOfBirth: `1992-${dateBefore(days)}`, timezone: 'UTC', leapDay: 'mar1' },
        Date.now() - 10 * DAY_MS,
      ),
    ),
  );
}

describe('Recovery', () => {
  it('a starting worker that finds no missed runs says so in its log', async () => {
    const worker = await programs.worker();
    expect(worker.lines.map(({ msg }) => msg)).toContain('Starting recovery check');
    expect(worker.lines.map(({ msg }) => msg)).toContain('No missed events found');
    await worker.end();
  });

  it('a worker that starts after a downtime logs the oldest and the newest missed run, then delivers each missed run once', async () => {
    const keys = await missed();
    // Reading the missed occurrences does not change them, however often it happens.
    const looks = [0, 0].map(() => readMissed(database.pool, { olderThanMs: 0, now: null }));
    const [first, second] = await Promise.all(looks);
    expect(second).toEqual(first);
    expect(first?.count).toBe(3);

    const worker = await programs.worker();
    const missedLine = worker.lines.find(({ msg }) => msg === 'Missed events found');
    expect(missedLine).toMatchObject({ level: 30, count: 3 });
    expect(missedLine?.oldestEventTimestamp).toContain(`${dateBefore(7)}T09:00:00.000Z`);
    expect(missedLine?.newestEventTimestamp).toContain(`${dateBefore(1)}T09:00:00.000Z`);

    await eventually(async () => {
      const { rows } = await database.pool.query(`select status from carillon.runs`);
      return rows.length === 3 && rows.every(({ status }) => status === 'succeeded');
    });
    for (const key of keys) expect(Date.parse((await users.next(key)) ?? '')).toBeGreaterThan(Date.now());
    await worker.end();
  });

  it('a worker that restarts does not deliver the missed runs of a downtime a second time', async () => {
    const worker = await programs.worker();
    expect(worker.lines.map(({ msg }) => msg)).toContain('No missed events found');
    expect((await database.pool.query('select from carillon.runs')).rowCount).toBe(3);
  });
});
