import { readSchedule } from '@carillon/db';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');

async function threeDue(spoil: (id: number) => [text: string, values: unknown[]]) {
  const keys = ['a', 'b', 'c'].map((letter) => `${letter}-${Math.random().toString(36).slice(2)}`);
  const rule = { cron: '* * * * *' };
  const ids = await insertSchedules(
    database,
    keys.map((id) => ({ id, rule })),
    { nowAt: T0 },
  );
  const [text, values] = spoil(ids[1] as number);
  await database.pool.query(text, values);
  const claimed = (await engine.claim(T0 + 60_000))
    .map((run) => run.scheduleId)
    .filter((id) => ids.includes(id));
  return { ids, claimed, spoilt: await readSchedule(database.pool, database.projectId, keys[1] as string) };
}

it('A rule that can no longer be evaluated pauses its schedule with the reason, and its batch goes on', async () => {
  const { ids, claimed, spoilt } = await threeDue((id) => [
    `update schedule_versions set timing = (timing::jsonb || '{"timezone":"Mars/Olympus"}')::text where schedule_id = $1`,
    [id],
  ]);
  expect(claimed).toEqual([ids[0], ids[2]]);
  expect(spoilt).toMatchObject({
    status: 'paused',
    pausedBy: 'carillon',
    pauseNote: expect.stringContaining('Mars'),
  });
});

it('A definition that can not be read pauses its schedule, and its batch goes on', async () => {
  const ids = await insertSchedules(
    database,
    [1, 2, 3].map(() => ({ rule: { at: new Date(T0).toISOString() } })),
    { nowAt: T0 },
  );
  await database.pool.query(`update schedule_versions set plan = '{' where schedule_id = $1`, [ids[1]]);
  const claimed = (await engine.claim(T0)).map((run) => run.scheduleId);
  expect(claimed).toEqual([ids[0], ids[2]]);
  const { rows } = await database.pool.query('select status, pause_note from schedules where id = $1', [
    ids[1],
  ]);
  expect(rows).toEqual([{ status: 'paused', pause_note: expect.stringContaining('could not be read') }]);
  const { rows: audited } = await database.pool.query(
    `select actor, detail->>'note' as note from audit_log
     where action = 'schedule.paused' and subject = (select key from schedules where id = $1)`,
    [ids[1]],
  );
  expect(audited).toEqual([{ actor: 'carillon', note: expect.stringContaining('could not be read') }]);
});

it('A run that exists already is not made again, and its schedule moves on', async () => {
  const { ids, claimed, spoilt } = await threeDue((id) => [
    `with named_again as (update schedules set accounted_until = to_timestamp($2) where id = $1)
     insert into runs (schedule_id, occurrence_at, origin, project_id, version, status, due_at)
     values ($1, to_timestamp($2), 'rule', 1, 1, 'succeeded', to_timestamp($2))`,
    [id, T0 / 1_000 + 60],
  ]);
  expect(claimed).toEqual([ids[0], ids[2]]);
  expect(spoilt).toMatchObject({ status: 'active', nextRunAt: new Date(T0 + 120_000) });
});
