import { ensurePartitions, readSchedule, replayFailed, replayRun, triggerSchedule } from '@carillon/db';
import { MINUTE_MS } from '@carillon/shared';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { beforeAll, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');

// The tests insert runs by plain statements, which create no partition.
beforeAll(() => ensurePartitions(database.pool, T0));

/** Claims three schedules that are due together, after a statement has damaged the second of them. */
async function claimThree({
  rule,
  spoil,
}: {
  rule: object;
  spoil: (id: number) => [text: string, values: unknown[]];
}) {
  const keys = ['a', 'b', 'c'].map((letter) => `${letter}-${Math.random().toString(36).slice(2)}`);
  const inputs = keys.map((id) => ({ id, rule }) as { id: string; rule: { every: string } });
  const ids = (await insertSchedules(database, inputs, { nowAt: T0 })) as [number, number, number];
  await database.pool.query(...spoil(ids[1]));
  const claimed = (await engine.claim(T0 + MINUTE_MS)).map((run) => run.scheduleId);
  return { ids, claimed: claimed.filter((id) => ids.includes(id)), spoiltKey: keys[1] as string };
}

const read = (key: string) => readSchedule(database.pool, database.projectId, key);

it('a schedule whose rule can no longer be evaluated is paused with the reason, and the rest of the batch is claimed', async () => {
  const { ids, claimed, spoiltKey } = await claimThree({
    rule: { cron: '* * * * *' },
    spoil: (id) => [
      `update carillon.schedules set timing = (timing::jsonb || '{"timezone":"Mars/Olympus"}')::text where id = $1`,
      [id],
    ],
  });
  expect(claimed).toEqual([ids[0], ids[2]]);
  expect(await read(spoiltKey)).toMatchObject({
    status: 'paused',
    pausedBy: 'carillon',
    pauseNote: expect.stringContaining('Mars'),
  });
});

it('a schedule whose definition cannot be read is paused with the reason, and the rest of the batch is claimed', async () => {
  const { ids, claimed, spoiltKey } = await claimThree({
    rule: { at: new Date(T0).toISOString() },
    spoil: (id) => [`update carillon.schedules set plan = '{' where id = $1`, [id]],
  });
  expect(claimed).toEqual([ids[0], ids[2]]);
  const { rows } = await database.pool.query(
    `select s.status, s.version, s.pause_note, a.is_held, a.version as agenda_version
     from carillon.schedules s join carillon.agenda a on a.schedule_id = s.id where s.id = $1`,
    [ids[1]],
  );
  const note = expect.stringContaining('could not be read');
  expect(rows).toEqual([
    { status: 'paused', version: 2, pause_note: note, is_held: true, agenda_version: 2 },
  ]);
  const { rows: audited } = await database.pool.query(
    `select actor, detail->>'note' as note from carillon.audit_log where action = 'schedule.paused' and subject = $1`,
    [spoiltKey],
  );
  expect(audited).toEqual([{ actor: 'carillon', note }]);
});

it('an occurrence that already has a run is not run again: its schedule moves to the next occurrence, and the rest of the batch is claimed', async () => {
  const { ids, claimed, spoiltKey } = await claimThree({
    rule: { cron: '* * * * *' },
    spoil: (id) => [
      `insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, status, due_at,
                                  recorded_at, happened_at, finished_at)
       values ($1, to_timestamp($2), 'rule', date_trunc('month', to_timestamp($2)), 1, 1, 'succeeded', to_timestamp($2),
               to_timestamp($2), to_timestamp($2), to_timestamp($2))`,
      [id, (T0 + MINUTE_MS) / 1_000],
    ],
  });
  expect(claimed).toEqual([ids[0], ids[2]]);
  expect(await read(spoiltKey)).toMatchObject({ status: 'active', nextRunAt: T0 + 2 * MINUTE_MS });
  expect(await engine.runsOf(ids[1])).toMatchObject([{ status: 'succeeded', attempt: 0 }]);
});

/** Makes Postgres refuse rows of `runs` that match the condition, by a check constraint. */
async function refuseRuns(condition: string): Promise<() => Promise<unknown>> {
  const name = `test_${Math.random().toString(36).slice(2)}`;
  await database.pool.query(
    `alter table carillon.runs add constraint ${name} check (not (${condition})) not valid`,
  );
  return () => database.pool.query(`alter table carillon.runs drop constraint ${name}`);
}

it('a schedule whose run Postgres refuses to insert is paused with the reason, and the rest of the batch is claimed', async () => {
  const keys = Array.from({ length: 20 }, (_, i) => `refused-${i}`);
  const inputs = keys.map((id) => ({ id, rule: { at: new Date(T0).toISOString() } }));
  const ids = await insertSchedules(database, inputs, { nowAt: T0 });
  const allow = await refuseRuns(`schedule_id in (${ids[7]}, ${ids[8]})`);
  try {
    const claimed: number[] = [];
    for (let round = 0; round < 20; round++)
      claimed.push(...(await engine.claim(T0 + MINUTE_MS)).map((run) => run.scheduleId));
    const fine = ids.filter((_, i) => i !== 7 && i !== 8);
    expect(claimed.filter((id) => ids.includes(id)).toSorted((a, b) => a - b)).toEqual(
      fine.toSorted((a, b) => a - b),
    );
  } finally {
    await allow();
  }
  for (const key of ['refused-7', 'refused-8'])
    expect(await read(key)).toMatchObject({
      status: 'paused',
      pausedBy: 'carillon',
      pauseNote: expect.stringContaining('could not be claimed'),
    });
});

it('a waiting run that cannot be read, or that Postgres refuses to start, fails with the reason, and the rest of the batch is claimed', async () => {
  const keys = Array.from({ length: 20 }, (_, i) => `waiting-${i}`);
  const rule = { at: new Date(T0 + 1_000 * MINUTE_MS).toISOString() };
  const ids = await insertSchedules(
    database,
    keys.map((id) => ({ id, rule })),
    { nowAt: T0 },
  );
  for (const key of keys)
    await triggerSchedule(database.pool, {
      ref: { projectId: database.projectId, key },
      actor: 'test',
      now: T0,
    });
  await database.pool.query(`update carillon.schedules set plan = '{' where id = $1`, [ids[3]]);
  const allow = await refuseRuns(`schedule_id = ${ids[7]} and status = 'running'`);
  try {
    const claimed: number[] = [];
    for (let round = 0; round < 20; round++)
      claimed.push(...(await engine.claim(T0 + MINUTE_MS)).map((run) => run.scheduleId));
    const fine = ids.filter((_, i) => i !== 3 && i !== 7);
    expect(claimed.filter((id) => ids.includes(id)).toSorted((a, b) => a - b)).toEqual(
      fine.toSorted((a, b) => a - b),
    );
  } finally {
    await allow();
  }
  for (const i of [3, 7])
    expect(await engine.runsOf(ids[i] as number)).toMatchObject([
      {
        status: 'failed',
        attempt: 0,
        reasonCode: 'unclaimable',
        reason: expect.stringContaining('could not be'),
      },
    ]);
});

it('a run cannot be replayed more than a hundred times, neither alone nor in a replay of all failed runs', async () => {
  const rule = { at: new Date(T0).toISOString() };
  const inputs = ['replayed', 'never-replayed'].map((id) => ({ id, rule }));
  const [id, other] = await insertSchedules(database, inputs, { nowAt: T0 });
  const runs = await engine.claim(T0 + MINUTE_MS);
  const run = runs.find(({ scheduleId }) => scheduleId === id);
  if (!run || runs.length !== 2) throw new Error('not claimed');
  for (const each of runs) await engine.fail(each, T0 + MINUTE_MS);
  await database.pool.query(
    `update carillon.runs set status = 'failed', failed_at = now(), next_attempt_at = null,
       replays = case schedule_id when $1 then 99 else 0 end where schedule_id in ($1, $2)`,
    [id, other],
  );
  const replay = () =>
    replayRun(database.pool, { projectId: database.projectId, run, actor: 'test', now: T0 + 2 * MINUTE_MS });
  expect(await replay()).toMatchObject({ kind: 'changed' });
  await database.pool.query(
    `update carillon.runs set status = 'failed', failed_at = now(), next_attempt_at = null where schedule_id = $1`,
    [id],
  );
  expect(await replay()).toMatchObject({ kind: 'refused' });
  const request = { projectId: database.projectId, filter: {}, limit: 100, perSecond: 100, actor: 'test' };
  await replayFailed(database.pool, request);
  const { rows } = await database.pool.query(
    'select status, replays from carillon.runs where schedule_id in ($1, $2) order by replays desc',
    [id, other],
  );
  expect(rows).toEqual([
    { status: 'failed', replays: 100 },
    { status: 'retrying', replays: 1 },
  ]);
});
