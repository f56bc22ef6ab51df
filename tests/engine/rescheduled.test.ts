import {
  type ChangeRequest,
  cancelSchedule,
  editSchedule,
  pauseSchedule,
  rescheduleNext,
} from '@carillon/db';
import { draft, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');

/**
 * Creates a schedule that fires every ten seconds, reschedules its first occurrence by half a minute, and makes the
 * change. Returns the runs.
 */
async function runsAfter(change: (at: (now: number) => ChangeRequest) => Promise<unknown>) {
  const [id] = (await insertSchedules(database, [{ rule: { every: 'PT10S' } }], { nowAt: T0 })) as [number];
  const at = (now: number) => ({ ref: { id }, actor: 'ops', now });
  await rescheduleNext(database.pool, at(T0 + 1_000), T0 + 40_000);
  await change(at);
  return (await engine.runsOf(id)).map((run) => [run.occurrenceAt - T0, run.status, run.reasonCode]);
}

const edit = (request: ChangeRequest & { now: number }) =>
  editSchedule(database.pool, request, draft({ rule: { every: 'PT7S' } }, request.now));

describe('An occurrence that was rescheduled to a later time', () => {
  it('an edit records as skipped a next occurrence that was rescheduled to a later time, and every other occurrence due before the edit (invariant I1)', async () => {
    expect(await runsAfter((at) => edit({ ...at(T0), now: T0 + 25_000 }))).toEqual([
      [10_000, 'skipped', 'overtaken'],
      [20_000, 'skipped', 'overtaken'],
    ]);
  });

  it('if the next occurrence of a paused schedule was rescheduled to a later time, an edit records that occurrence as skipped (invariant I1)', async () => {
    const runs = await runsAfter(async (at) => {
      await pauseSchedule(database.pool, at(T0 + 5_000), { note: null, untilAt: null });
      await edit({ ...at(T0), now: T0 + 15_000 });
    });
    expect(runs).toEqual([[10_000, 'skipped', 'overtaken']]);
  });

  it('a cancel records as skipped a next occurrence that was rescheduled to a later time, and every other occurrence due before the cancel (invariant I1)', async () => {
    expect(await runsAfter((at) => cancelSchedule(database.pool, at(T0 + 25_000)))).toEqual([
      [10_000, 'skipped', 'schedule_cancelled'],
      [20_000, 'skipped', 'schedule_cancelled'],
    ]);
  });
});
