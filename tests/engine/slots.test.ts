import { readSlots, readUnchangedSlots } from '@carillon/db';
import { insertSchedules, useDatabase } from '@carillon/testkit';
import { beforeEach, describe, expect, it } from 'vitest';

const database = useDatabase();
beforeEach(() => database.pool.query('delete from carillon.agenda'));

const SLOT_MS = 5;
const DUE_IN_MS = 30_000;

const readDueSlots = async () =>
  (await readSlots(database.pool, { horizonMs: 60_000, slotMs: SLOT_MS, now: null })).ringAts;

describe('Slots, the steps of 5 ms in which something is due', () => {
  it('all rows that are due within a step of 5 ms are one slot, which ends at or after each of them', async () => {
    const slotEnd = Math.ceil((Date.now() + DUE_IN_MS) / SLOT_MS) * SLOT_MS;
    const dueAts = [slotEnd - SLOT_MS + 1, slotEnd - 2, slotEnd, slotEnd + 1];
    await insertSchedules(
      database,
      dueAts.map((at) => ({ rule: { at: new Date(at).toISOString() } })),
    );
    expect((await readDueSlots()).sort()).toEqual([slotEnd, slotEnd + SLOT_MS]);
  });

  it('readUnchangedSlots returns a slot (a step of 5 ms) only if something is due in it and none of its rows has changed for the given time', async () => {
    const createdAt = Date.now();
    const rule = { at: new Date(createdAt + DUE_IN_MS).toISOString() };
    const [first] = await insertSchedules(database, [{ rule }, { rule }]);
    const ringAts = await readDueSlots();
    const readAt = (now: number) =>
      readUnchangedSlots(database.pool, { ringAts, slotMs: SLOT_MS, unchangedForMs: 2_000, now });
    expect(ringAts).toHaveLength(1);
    expect(await readAt(createdAt + 1_000)).toEqual([]);
    expect(await readAt(createdAt + 10_000)).toEqual(ringAts);
    await database.pool.query('update carillon.schedules set updated_at = $2 where id = $1', [
      first,
      new Date(createdAt + 9_000),
    ]);
    expect(await readAt(createdAt + 10_000)).toEqual([]);
    await database.pool.query('delete from carillon.agenda');
    expect(await readAt(createdAt + 20_000)).toEqual([]);
  });
});
