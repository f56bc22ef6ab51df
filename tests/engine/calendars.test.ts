import { readSchedule, removeCalendar, rescheduleNext, retimeStale, setCalendar } from '@carillon/db';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;
const change = (name: string, dates: string[]) =>
  setCalendar(database.pool, { projectId, name, dates, actor: 'ops' });

/** A schedule of every midnight (UTC) from tomorrow on, which names the calendar. */
async function daily(id: string, exclusions: string[], calendars: Map<string, string[]>) {
  await insertSchedules(database, [{ id, rule: { cron: '0 0 * * *' }, exclusions }], { calendars });
}
const midnight = (days: number) => {
  const today = new Date().setUTCHours(0, 0, 0, 0);
  return new Date(today + days * 86_400_000);
};
const date = (days: number) => midnight(days).toISOString().slice(0, 10);
const nextOf = async (key: string) => (await readSchedule(database.pool, projectId, key))?.nextRunAt;

describe('A named calendar', () => {
  it('keeps the schedules that name it from firing on its dates', async () => {
    await change('closed', [date(1), `${date(2)}/${date(3)}`]);
    await daily('shop', ['closed'], new Map([['closed', [date(1), `${date(2)}/${date(3)}`]]]));
    expect(await nextOf('shop')).toEqual(midnight(4));
  });

  it('times its schedules anew when it changes, whether that makes them earlier or later', async () => {
    expect(await change('closed', [date(2)])).toMatchObject({ retimed: 1 });
    expect(await nextOf('shop')).toEqual(midnight(1));
    expect(await change('closed', [date(1), date(2)])).toMatchObject({ retimed: 1 });
    expect(await nextOf('shop')).toEqual(midnight(3));
    const claimed = await engine.claim(midnight(3).getTime());
    expect(claimed.map((run) => run.occurrenceAt)).toEqual([midnight(3).getTime()]);
  });

  it('leaves alone what goes by its dates already', async () => {
    const version = async () => (await readSchedule(database.pool, projectId, 'shop'))?.version;
    const before = await version();
    expect(await change('closed', [date(1), date(2)])).toEqual({ retimed: 0, dueAts: [] });
    expect(await retimeStale(database.pool)).toEqual({ retimed: 0, dueAts: [] });
    expect(await version()).toBe(before);
  });

  it('leaves what was moved by hand where it is', async () => {
    await daily('moved', ['closed'], new Map([['closed', [date(1), date(2)]]]));
    const movedTo = midnight(3).getTime() + 3_600_000;
    await rescheduleNext(database.pool, { ref: { projectId, key: 'moved' }, actor: 'ops' }, movedTo);
    await change('closed', [date(1), date(2), date(9)]);
    expect((await nextOf('moved'))?.getTime()).toBe(movedTo);
  });

  it('does not concern schedules that do not name it', async () => {
    await daily('other', [], new Map());
    await change('closed', [date(1)]);
    expect(await nextOf('other')).toEqual(midnight(1));
    expect((await readSchedule(database.pool, projectId, 'other'))?.version).toBe(1);
  });

  it('can be removed only once no schedule names it', async () => {
    const remove = (name: string) => removeCalendar(database.pool, { projectId, name, actor: 'ops' });
    expect(await remove('closed')).toEqual({ kind: 'in_use', by: ['shop', 'moved'] });
    expect(await remove('unheard-of')).toEqual({ kind: 'not_found' });
    await change('unused', []);
    expect(await remove('unused')).toEqual({ kind: 'removed' });
  });
});
