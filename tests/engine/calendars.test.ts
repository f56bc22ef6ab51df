import { readSchedule, removeCalendar, rescheduleNext, retimeStale, setCalendar } from '@carillon/db';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;
/** Changes a calendar and then re-times its schedules. In production the API does the first and a worker the second. */
const change = async (name: string, dates: string[]) => {
  await setCalendar(database.pool, { projectId, name, dates, actor: 'ops' });
  return retimeStale(database.pool);
};

/** Creates a schedule that fires at every midnight (UTC) from tomorrow on. */
async function daily(id: string, exclusions: string[], calendars: Map<string, string[]>) {
  await insertSchedules(database, [{ id, rule: { cron: '0 0 * * *' }, exclusions }], { calendars });
}
const midnight = (days: number) => {
  const today = new Date().setUTCHours(0, 0, 0, 0);
  return today + days * 86_400_000;
};
const date = (days: number) => new Date(midnight(days)).toISOString().slice(0, 10);
const nextOf = async (key: string) => (await readSchedule(database.pool, projectId, key))?.nextRunAt;

describe('Named calendars', () => {
  it('a schedule does not fire on the dates of a calendar that it names', async () => {
    await change('closed', [date(1), `${date(2)}/${date(3)}`]);
    await daily('shop', ['closed'], new Map([['closed', [date(1), `${date(2)}/${date(3)}`]]]));
    expect(await nextOf('shop')).toBe(midnight(4));
  });

  it('a change of a calendar moves the next occurrence of the schedules that use the calendar, to an earlier or a later day', async () => {
    expect(await change('closed', [date(2)])).toMatchObject({ retimed: 1 });
    expect(await nextOf('shop')).toBe(midnight(1));
    expect(await change('closed', [date(1), date(2)])).toMatchObject({ retimed: 1 });
    expect(await nextOf('shop')).toBe(midnight(3));
    const claimed = await engine.claim(midnight(3));
    expect(claimed.map((run) => run.occurrenceAt)).toEqual([midnight(3)]);
  });

  it('setting a calendar to the dates that it already has changes no schedule', async () => {
    const version = async () => (await readSchedule(database.pool, projectId, 'shop'))?.version;
    const before = await version();
    const nothing = { retimed: 0, dueAts: [], errors: [], isDone: true };
    expect(await change('closed', [date(1), date(2)])).toEqual(nothing);
    expect(await retimeStale(database.pool)).toEqual(nothing);
    expect(await version()).toBe(before);
  });

  it('a change of a calendar does not move an occurrence that was rescheduled by hand', async () => {
    await daily('moved', ['closed'], new Map([['closed', [date(1), date(2)]]]));
    const movedTo = midnight(3) + 3_600_000;
    await rescheduleNext(database.pool, { ref: { projectId, key: 'moved' }, actor: 'ops' }, movedTo);
    await change('closed', [date(1), date(2), date(9)]);
    expect(await nextOf('moved')).toBe(movedTo);
  });

  it('a change of a calendar does not move schedules that do not name it', async () => {
    await daily('other', [], new Map());
    await change('closed', [date(1)]);
    expect(await nextOf('other')).toBe(midnight(1));
    expect((await readSchedule(database.pool, projectId, 'other'))?.version).toBe(1);
  });

  it('a calendar can be removed only if no schedule names it', async () => {
    const remove = (name: string) => removeCalendar(database.pool, { projectId, name, actor: 'ops' });
    expect(await remove('closed')).toEqual({ kind: 'in_use', by: ['shop', 'moved'] });
    expect(await remove('unheard-of')).toEqual({ kind: 'not_found' });
    await change('unused', []);
    expect(await remove('unused')).toEqual({ kind: 'removed' });
  });
});
