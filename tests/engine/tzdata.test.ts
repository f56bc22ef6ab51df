import {
  listAudit,
  readSchedule,
  readTzdata,
  readTzdataPeriods,
  rescheduleNext,
  stepTzdata,
} from '@carillon/db';
import { HOUR_MS } from '@carillon/shared';
import { insertSchedules, registerTestWorker, useDatabase } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';

const database = useDatabase();
const { projectId } = database;
const OURS = process.versions.tz ?? 'unknown';
const step = (version = OURS) => stepTzdata(database.pool, { version, now: null });
const viewOf = async (key: string) => {
  const view = await readSchedule(database.pool, projectId, key);
  if (!view) throw new Error(`no schedule ${key}`);
  return view;
};
/** Shifts agenda rows, as if time zone data with another offset had computed them. */
const shift = (keys: string[], ms: number) =>
  database.pool.query(
    `update carillon.agenda a set occurrence_at = occurrence_at + $2 * interval '1 ms', due_at = due_at + $2 * interval '1 ms'
     from carillon.schedules s where s.id = a.schedule_id and s.key = any($1)`,
    [keys, ms],
  );

beforeAll(async () => {
  await registerTestWorker(database);
  // The schedules begin far in the future, so that an occurrence is still to come even if it moves an hour back.
  const startAt = '2098-01-01T00:00:00Z';
  const daily = { rule: { cron: '0 9 * * *' }, timezone: 'Europe/Berlin', startAt };
  await insertSchedules(database, [
    { id: 'early', ...daily },
    { id: 'late', ...daily },
    { id: 'same', ...daily },
    { id: 'by-hand', ...daily },
    { id: 'utc', rule: { cron: '0 9 * * *' }, startAt },
    { id: 'once', rule: { at: '2098-07-01T09:00:00' }, timezone: 'Europe/Berlin' },
  ]);
});

describe('Time zone data', () => {
  it('the first sweep records the version of the time zone data with which the agenda was computed', async () => {
    expect(await step()).toEqual({ kind: 'same' });
    expect(await readTzdata(database.pool, null)).toMatchObject({
      version: OURS,
      next: null,
      workers: [OURS],
    });
  });

  it('a change of time zone data moves exactly those next occurrences for which the new data gives another instant', async () => {
    const right = new Map<string, number | null>();
    for (const key of ['early', 'late', 'same', 'utc', 'once']) right.set(key, (await viewOf(key)).nextRunAt);
    await shift(['early'], -HOUR_MS);
    await shift(['late'], HOUR_MS);
    await database.pool.query(
      `update carillon.schedules set timing = replace(timing, $1, $2) where key = 'once'`,
      [String(right.get('once')), String((right.get('once') ?? 0) + HOUR_MS)],
    );
    await shift(['once'], HOUR_MS);
    const movedTo = (right.get('same') ?? 0) + 5 * HOUR_MS;
    await rescheduleNext(database.pool, { ref: { projectId, key: 'by-hand' }, actor: 'ops' }, movedTo);
    await database.pool.query(`update carillon.installation set tzdata = '2001a'`);

    expect(await step()).toMatchObject({ kind: 'computed', retimed: 3, isDone: true, from: '2001a' });
    for (const [key, at] of right) expect([key, (await viewOf(key)).nextRunAt]).toEqual([key, at]);
    expect((await viewOf('by-hand')).nextRunAt).toBe(movedTo);
    expect((await viewOf('same')).version).toBe(1);
    expect((await viewOf('late')).version).toBe(2);
  });

  it('a change of time zone data writes one audit entry, and one more for each schedule that moved', async () => {
    const page = { projectId, limit: 100, beforeId: null };
    const [change] = await listAudit(database.pool, { ...page, filter: { action: 'tzdata.changed' } });
    expect(change).toMatchObject({ actor: `time zone data ${OURS}`, detail: { from: '2001a', to: OURS } });
    const edits = await listAudit(database.pool, { ...page, filter: { action: 'schedule.edited' } });
    const moved = edits.filter(({ actor }) => actor === `time zone data ${OURS}`);
    expect(moved.map(({ subject }) => subject).sort()).toEqual(['early', 'late', 'once']);
    expect(await step()).toEqual({ kind: 'same' });
  });

  it('no occurrence is recomputed while live workers have different time zone data', async () => {
    await registerTestWorker(database);
    await database.pool.query(
      `update carillon.workers set tzdata = '2001a' where id = (select max(id) from carillon.workers)`,
    );
    await database.pool.query(`update carillon.installation set tzdata = '2001a'`);
    await shift(['late'], HOUR_MS);
    expect(await step()).toEqual({ kind: 'differ', versions: ['2001a', OURS].sort() });
    expect((await viewOf('late')).version).toBe(2);
  });

  it('while live workers have two versions of the time zone data, both are recorded as in use from the start of the second worker until a recomputation', async () => {
    const latest = async () => (await readTzdataPeriods(database.pool)).at(-1);
    await database.pool.query(
      `update carillon.installation set tzdata = $1, tzdata_next = null, tzdata_cursor = null`,
      [OURS],
    );
    await database.pool.query('update carillon.workers set stopped_at = now() where tzdata <> $1', [OURS]);
    await step();
    expect(await latest()).toMatchObject({ versions: [OURS] });

    const { workerId } = await registerTestWorker(database);
    const { rows } = await database.pool.query(
      `update carillon.workers set tzdata = '2001a' where id = $1 returning started_at as at`,
      [workerId],
    );
    expect(await step()).toMatchObject({ kind: 'differ' });
    const mixed = { sinceAt: rows[0].at, versions: ['2001a', OURS].sort() };
    expect(await latest()).toEqual(mixed);
    expect(await step()).toMatchObject({ kind: 'differ' });
    expect(await readTzdataPeriods(database.pool)).toContainEqual(mixed);

    // The stopped worker leaves behind occurrences that it computed with its own data.
    await database.pool.query('update carillon.workers set stopped_at = now() where id = $1', [workerId]);
    const right = (await viewOf('same')).nextRunAt;
    await shift(['same'], HOUR_MS);
    expect(await step()).toMatchObject({ kind: 'computed', retimed: 1, isDone: true, from: '2001a' });
    expect((await viewOf('same')).nextRunAt).toBe(right);
    expect(await latest()).toMatchObject({ versions: [OURS] });
    expect(await step()).toEqual({ kind: 'same' });
  });
});
