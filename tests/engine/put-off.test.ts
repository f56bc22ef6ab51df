import {
  type ChangeRequest,
  cancelSchedule,
  editSchedule,
  pauseSchedule,
  rescheduleNext,
} from '@carillon/db';
import { momentAfter } from '@carillon/shared';
import { draft, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');
let number = 0;

/** Every ten seconds; the first occurrence is put off by half a minute, and something comes in between. */
async function runsAfter(change: (at: (now: number) => ChangeRequest, key: string) => Promise<unknown>) {
  const key = `put-off-${++number}`;
  const [id] = (await insertSchedules(database, [{ id: key, rule: { every: 'PT10S' } }], {
    nowAt: T0,
  })) as [number];
  const at = (now: number) => ({ ref: { id }, actor: 'ops', now });
  await rescheduleNext(database.pool, at(T0 + 1_000), T0 + 40_000);
  await change(at, key);
  return (await engine.runsOf(id)).map((run) => [run.occurrenceAt - T0, run.status, run.reasonCode]);
}

const edit = (request: ChangeRequest, key: string) =>
  editSchedule(database.pool, request, ({ nowAt }) => {
    const made = draft({ id: key, rule: { every: 'PT7S' } }, nowAt);
    return { ...made, next: momentAfter({ ...made, key }, nowAt) };
  });

describe('An occurrence that was put off beyond', () => {
  it('an edit is accounted for, with those that it was to overtake (I1)', async () => {
    expect(await runsAfter((at, key) => edit(at(T0 + 25_000), key))).toEqual([
      [10_000, 'skipped', 'overtaken'],
      [20_000, 'skipped', 'overtaken'],
    ]);
  });

  it('an edit during a pause is accounted for (I1)', async () => {
    const runs = await runsAfter(async (at, key) => {
      await pauseSchedule(database.pool, at(T0 + 5_000), { note: null, untilAt: null });
      await edit(at(T0 + 15_000), key);
    });
    expect(runs).toEqual([[10_000, 'skipped', 'overtaken']]);
  });

  it('a cancel is accounted for (I1)', async () => {
    expect(await runsAfter((at) => cancelSchedule(database.pool, at(T0 + 25_000)))).toEqual([
      [10_000, 'skipped', 'schedule_cancelled'],
      [20_000, 'skipped', 'schedule_cancelled'],
    ]);
  });
});
