import {
  cancelSchedule,
  explainOccurrences,
  pauseSchedule,
  readScheduleChanges,
  replaceSchedule,
  reportRun,
  rescheduleNext,
  resumeSchedule,
  triggerSchedule,
} from '@carillon/db';
import { encodeRunId, MINUTE_MS } from '@carillon/shared';
import { draft, insertSchedules, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { useApi } from './use-api.js';

const api = useApi();
const { database } = api;
const engine = useEngine(database);

/** Some days ago, at a whole minute, so that a schedule can have a long history. */
const T0 = Math.floor(Date.now() / 60_000) * 60_000 - 5 * 86_400_000;
const iso = (at: number) => new Date(at).toISOString();

/** Creates a schedule that fires every minute, first at T0 + 1 minute. */
async function everyMinute(key: string, more: object = {}) {
  const [id] = (await insertSchedules(database, [{ id: key, rule: { every: 'PT1M' }, ...more }], {
    nowAt: T0,
  })) as [number];
  await database.pool.query('update carillon.schedules set defined_at = $2, created_at = $2 where id = $1', [
    id,
    iso(T0),
  ]);
  return { id, change: (now: number) => ({ ref: { id }, actor: 'ops', now }) };
}

async function succeed(id: number, at: number): Promise<void> {
  const run = (await engine.claim(at)).find(({ scheduleId }) => scheduleId === id);
  if (!run) throw new Error(`nothing to claim at ${iso(at)}`);
  await engine.closeAll([{ run, outcome: { kind: 'succeeded' }, sentAt: at }], at);
}

/** Makes copies of the schedule's first run, one for each later minute. */
const copyRun = (id: number, copies: number) =>
  database.pool.query(
    `insert into carillon.runs
     select (json_populate_record(r, json_build_object('occurrence_at', r.occurrence_at + n * interval '1 minute',
       'due_at', r.due_at + n * interval '1 minute', 'recorded_at', r.recorded_at + n * interval '1 minute',
       'claimed_at', r.claimed_at + n * interval '1 minute', 'finished_at', r.finished_at + n * interval '1 minute'))).*
     from carillon.runs r, generate_series(1, $2::int) as n where r.schedule_id = $1`,
    [id, copies],
  );

interface Entry {
  at: string;
  why: string;
  runId: string;
  status: string;
  version: number;
  count: number;
  story: { kind: string; text: string; actor: string | null }[];
}

/** Reads all pages of a ledger. Throws if a page ends where it has begun. */
async function ledger(key: string, query: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { body } = await api.call('GET', `/v1/schedules/${key}/ledger?${query}${more}`);
    entries.push(...body.items);
    if (body.nextCursor !== null && body.nextCursor === cursor)
      throw new Error(`the page at ${cursor} ends where it has begun`);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return entries;
}

describe('The ledger of a schedule with many audit entries', () => {
  it('the ledger, GET /v1/runs/:id and the sentence of an alert still name a pause, a trigger and a report after 5,000 later entries about other runs', async () => {
    const { id, change } = await everyMinute('much-reported', { misfire: { policy: 'all', grace: 'PT1H' } });
    const { projectId } = database;
    const dueAt = T0 + MINUTE_MS;
    const triggeredAt = T0 + 5_000;
    await triggerSchedule(database.pool, change(triggeredAt));
    await pauseSchedule(database.pool, change(T0 + 20_000), { note: null, untilAt: null });
    await resumeSchedule(database.pool, change(dueAt + 30_000));
    await succeed(id, dueAt + 30_000);
    const run = { scheduleId: id, occurrenceAt: dueAt, origin: 'rule' as const };
    await reportRun(database.pool, { projectId, run, kind: 'log', body: 'done', now: dueAt + 4 * MINUTE_MS });
    await database.pool.query(
      `insert into carillon.audit_log (project_id, actor, action, subject, detail, at)
       select $1, 'ping', 'run.reported', 'much-reported', json_build_object('run', $2::text, 'kind', 'log'),
              $3::timestamptz + n * interval '30 seconds' from generate_series(1, 5000) as n`,
      [projectId, encodeRunId({ ...run, occurrenceAt: dueAt + MINUTE_MS }), iso(dueAt + 5 * MINUTE_MS)],
    );
    const [triggered, entry] = (await ledger('much-reported', `from=${iso(T0)}&to=${iso(dueAt)}`)) as [
      Entry,
      Entry,
    ];
    expect(triggered.story[0]).toMatchObject({ text: 'triggered by ops', actor: 'ops' });
    expect(entry.why).toBe(
      `ran 30 s late: paused by ops at ${iso(T0 + 20_000)}; resumed by ops at ${iso(dueAt + 30_000)}; the job reported a text (note: done) at ${iso(dueAt + 4 * MINUTE_MS)}`,
    );
    const { body } = await api.call('GET', `/v1/runs/${entry.runId}`);
    expect(body).toMatchObject({ why: entry.why, story: entry.story });
    const request = { projectId, occurrences: [run], nowAt: Date.now() };
    expect(await explainOccurrences(database.pool, request)).toEqual([entry.why]);
  });

  it('the ledger explains a late run by a pause that began before the range, and a held occurrence by the pause that has not ended', async () => {
    const policies = { rule: { every: 'PT10M' }, misfire: { policy: 'all', grace: 'PT1H' } };
    const { id, change } = await everyMinute('twice-paused', policies);
    const dueAt = T0 + 10 * MINUTE_MS;
    await pauseSchedule(database.pool, change(T0 + 1_000), { note: 'first', untilAt: null });
    await resumeSchedule(database.pool, change(dueAt + 30 * MINUTE_MS));
    await succeed(id, dueAt + 30 * MINUTE_MS);
    await pauseSchedule(database.pool, change(T0 + 60 * MINUTE_MS), { note: 'second', untilAt: null });
    const at = T0 + 60 * MINUTE_MS;
    const entries = await ledger('twice-paused', `from=${iso(dueAt)}&to=${iso(at)}`);
    expect(entries[0]?.why).toContain(`paused by ops (note: first) at ${iso(T0 + 1_000)}`);
    const [held] = (await ledger(
      'twice-paused',
      `from=${iso(at + 10 * MINUTE_MS)}&to=${iso(at + 10 * MINUTE_MS)}`,
    )) as [Entry];
    expect(held.story.map(({ text }) => text)).toContain('paused by ops (note: second)');
  });
});

describe('Changes of a schedule after the range of the ledger', () => {
  it('the ledger shows that an occurrence held by a pause was rescheduled, even if the reschedule came after the requested range', async () => {
    const { change } = await everyMinute('moved-late');
    const dueAt = T0 + MINUTE_MS;
    await pauseSchedule(database.pool, change(T0 + 1_000), { note: null, untilAt: null });
    await rescheduleNext(database.pool, change(dueAt + 30 * MINUTE_MS), dueAt + 40 * MINUTE_MS);
    const [held] = (await ledger('moved-late', `from=${iso(dueAt)}&to=${iso(dueAt)}`)) as [Entry];
    expect(held.status).toBe('paused');
    expect(held.story.map(({ kind }) => kind)).toContain('rescheduled');
  });

  it('the ledger reports an occurrence as missing although the schedule was cancelled once before it and again after it', async () => {
    const { id, change } = await everyMinute('twice-cancelled');
    const revivedAt = T0 + 10 * MINUTE_MS;
    const lostAt = revivedAt + MINUTE_MS;
    await cancelSchedule(database.pool, change(T0 + 1_000));
    const again = { ...draft({ rule: { every: 'PT1M' } }, revivedAt), limits: {} };
    await replaceSchedule(database.pool, change(revivedAt), again);
    await succeed(id, lostAt);
    await cancelSchedule(database.pool, change(lostAt + 10 * MINUTE_MS));
    await database.pool.query('delete from carillon.runs where schedule_id = $1', [id]);
    const range = `from=${iso(lostAt)}&to=${iso(lostAt)}`;
    expect(await ledger('twice-cancelled', range)).toMatchObject([{ status: 'missing' }]);
    const request = {
      projectId: database.projectId,
      occurrences: [{ scheduleId: id, occurrenceAt: lostAt }],
    };
    expect(await explainOccurrences(database.pool, { ...request, nowAt: Date.now() })).toEqual([
      'missing: the rule named it, and there is neither a run nor a gap',
    ]);
  });
});

describe('A ledger with more steps than one page reads', () => {
  const RUNS = 110;
  const STEPS = 100;
  const range = `from=${iso(T0)}&to=${iso(T0 + RUNS * MINUTE_MS)}`;
  const insertAttempts = `insert into carillon.attempts (schedule_id, occurrence_at, origin, month, number, claimed_at, finished_at, outcome)
    select schedule_id, occurrence_at, origin, month, -n, recorded_at, recorded_at, 'failed'
    from carillon.runs, generate_series(1, $2::int) as n where schedule_id = $1`;
  const insertDeferrals = `insert into carillon.deferrals
    (schedule_id, occurrence_at, origin, attempt, reason_code, project_id, reason, from_at, until_at)
    select schedule_id, occurrence_at, origin, 1, 'reason_' || n, project_id, 'busy', recorded_at, recorded_at
    from carillon.runs, generate_series(1, $2::int) as n where schedule_id = $1`;

  it.each([
    ['attempt', insertAttempts, STEPS + 1],
    ['deferred', insertDeferrals, STEPS],
  ])(
    'if the runs have more than 10,000 steps of the kind %s, no run of several ledger pages lacks one, in either order',
    async (kind, sql, steps) => {
      const key = `many-${kind}`;
      const { id } = await everyMinute(key);
      await succeed(id, T0 + MINUTE_MS);
      await copyRun(id, RUNS - 1);
      await database.pool.query(sql, [id, STEPS]);
      const whole = await ledger(key, `${range}&limit=1000`);
      expect(whole.map(({ at }) => at)).toEqual(
        Array.from({ length: RUNS }, (_, index) => iso(T0 + (index + 1) * MINUTE_MS)),
      );
      const count = ({ story }: Entry) => story.filter((step) => step.kind === kind).length;
      expect(whole.map(count)).toEqual(Array(RUNS).fill(steps));
      expect(await ledger(key, `${range}&limit=1000&order=desc`)).toEqual(whole.toReversed());
    },
  );

  it('the ledger shows every report of a job on its run, even if there are more than 10,000 reports, in either order of the ledger', async () => {
    const key = 'many-reports';
    const { id } = await everyMinute(key);
    await succeed(id, T0 + MINUTE_MS);
    await copyRun(id, RUNS - 1);
    const runs = Array.from({ length: RUNS }, (_, index) => {
      const occurrenceAt = T0 + (index + 1) * MINUTE_MS;
      return { id: encodeRunId({ scheduleId: id, occurrenceAt, origin: 'rule' }), at: iso(occurrenceAt) };
    });
    await database.pool.query(
      `insert into carillon.audit_log (project_id, actor, action, subject, detail, at)
       select $1, 'ping', 'run.reported', $2, json_build_object('run', run.id, 'kind', 'log'), run.at
       from unnest($3::text[], $4::timestamptz[]) with ordinality as run(id, at, n), generate_series(1, $5::int) order by run.n`,
      [database.projectId, key, runs.map((run) => run.id), runs.map(({ at }) => at), STEPS],
    );
    const whole = await ledger(key, `${range}&limit=1000`);
    const count = ({ story }: Entry) => story.filter(({ kind }) => kind === 'reported').length;
    expect(whole.map(count)).toEqual(Array(RUNS).fill(STEPS));
    expect(await ledger(key, `${range}&limit=1000&order=desc`)).toEqual(whole.toReversed());
  });
});

describe('A ledger of runs with more bulk replays than one page reads', () => {
  it('the ledger shows every bulk replay on each run, even if runs were replayed more than 10,000 times, in either order of the ledger', async () => {
    const [RUNS, REPLAYS] = [110, 100];
    const key = 'many-replays';
    const { id } = await everyMinute(key);
    await succeed(id, T0 + MINUTE_MS);
    await copyRun(id, RUNS - 1);
    await database.pool.query(
      `with replay as (
         insert into carillon.audit_log (project_id, actor, action, subject, at)
         select project_id, 'ops', 'runs.replayed', null, $2::timestamptz from carillon.schedules, generate_series(1, $3::int)
         where id = $1 returning id)
       update carillon.runs set replays = $3, bulk_replays = (select array_agg(id) from replay) where schedule_id = $1`,
      [id, iso(T0 + (RUNS + 1) * MINUTE_MS), REPLAYS],
    );
    const range = `from=${iso(T0)}&to=${iso(T0 + RUNS * MINUTE_MS)}&limit=1000`;
    const whole = await ledger(key, range);
    const count = ({ story }: Entry) => story.filter(({ kind }) => kind === 'replayed').length;
    expect(whole.map(count)).toEqual(Array(RUNS).fill(REPLAYS));
    expect(await ledger(key, `${range}&order=desc`)).toEqual(whole.toReversed());
  });
});

describe('The ledger of a range with more definitions or gaps than one page reads', () => {
  it('the ledger lists every occurrence of a range in which 1,200 definitions were in force', async () => {
    const key = 'much-edited';
    const { id } = await everyMinute(key);
    await database.pool.query(
      `with past as (
         insert into carillon.schedule_versions (schedule_id, version, project_id, target_type, rule, timing, plan, defined_by,
           defined_at, superseded_at)
         select id, n, project_id, target_type, rule, timing, plan, 'ops',
                defined_at + (n - 1) * interval '1 second', defined_at + n * interval '1 second'
         from carillon.schedules, generate_series(1, 1200) as n where id = $1)
       update carillon.schedules set version = 1201, definition_version = 1201, defined_at = defined_at + interval '1200 seconds'
       where id = $1`,
      [id],
    );
    const whole = await ledger(key, `from=${iso(T0)}&to=${iso(T0 + 30 * MINUTE_MS)}`);
    expect(whole.map(({ at }) => at)).toEqual(
      Array.from({ length: 30 }, (_, index) => iso(T0 + (index + 1) * MINUTE_MS)),
    );
    expect(whole.at(-1)?.version).toBe(1201);
  });

  it('with order=desc the ledger reports no occurrence of 1,500 gaps as missing', async () => {
    const key = 'many-gaps';
    const { id } = await everyMinute(key, { rule: { every: 'PT1S' } });
    await database.pool.query(
      `insert into carillon.gaps (project_id, schedule_id, version, from_at, to_at, count, reason_code, reason)
       select project_id, id, 1, defined_at + n * interval '1 second',
              defined_at + (case n when 1501 then 2000 else n end) * interval '1 second', case n when 1501 then 500 else 1 end,
              'misfire', 'missed'
       from carillon.schedules, generate_series(1, 1501) as n where id = $1`,
      [id],
    );
    const range = `from=${iso(T0 + 1)}&to=${iso(T0 + 2_000_000)}`;
    const entries = await ledger(key, `${range}&order=desc&limit=400`);
    expect(entries.filter(({ status }) => status !== 'skipped')).toEqual([]);
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(2_000);
  });

  /** Makes copies of the schedule's first run with another origin, at these times. */
  const copyAs = (origin: string, id: number, times: readonly number[]) =>
    database.pool.query(
      `insert into carillon.runs
       select (json_populate_record(r, json_build_object('occurrence_at', at, 'origin', $2::text))).*
       from carillon.runs r, unnest($3::timestamptz[]) as at where r.schedule_id = $1 and r.origin = 'rule'`,
      [id, origin, times.map(iso)],
    );

  it('the ledger lists a gap (a stretch of skipped occurrences) and each triggered run within it exactly once, for any page size and order', async () => {
    const key = 'triggered-in-gap';
    const { id } = await everyMinute(key);
    await succeed(id, T0 + MINUTE_MS);
    const triggeredAt = [2, 2.5, 4.5, 6.5, 8.5].map((minutes) => T0 + minutes * MINUTE_MS);
    await copyAs('trigger', id, triggeredAt);
    await database.pool.query(
      `insert into carillon.gaps (project_id, schedule_id, version, from_at, to_at, count, reason_code, reason)
       select project_id, id, 1, $2, $3, 7, 'misfire', 'missed' from carillon.schedules where id = $1`,
      [id, iso(T0 + 2 * MINUTE_MS), iso(T0 + 8 * MINUTE_MS)],
    );
    for (const fromAt of [T0, T0 + 3.5 * MINUTE_MS]) {
      const range = `from=${iso(fromAt)}&to=${iso(T0 + 10 * MINUTE_MS)}`;
      const whole = await ledger(key, `${range}&limit=1000`);
      expect(whole.filter(({ status }) => status === 'skipped')).toHaveLength(1);
      expect(whole.filter(({ runId }) => runId !== null)).toHaveLength(fromAt === T0 ? 6 : 3);
      for (const limit of [1, 2, 3, 4, 5, 6, 7]) {
        expect(await ledger(key, `${range}&limit=${limit}`)).toEqual(whole);
        expect(await ledger(key, `${range}&limit=${limit}&order=desc`)).toEqual(whole.toReversed());
      }
    }
  });

  it('with one entry per page, the ledger lists every run of an occurrence that also ran as a backfill, and then the next occurrence', async () => {
    const key = 'twice-run';
    const { id } = await everyMinute(key);
    await succeed(id, T0 + MINUTE_MS);
    await copyAs('backfill', id, [T0 + MINUTE_MS]);
    await copyAs('trigger', id, [T0 + MINUTE_MS, T0 + 2 * MINUTE_MS]);
    const range = `from=${iso(T0)}&to=${iso(T0 + 2 * MINUTE_MS)}`;
    const whole = await ledger(key, `${range}&limit=1000`);
    expect(whole.map(({ at }) => at)).toEqual([1, 1, 1, 2, 2].map((n) => iso(T0 + n * MINUTE_MS)));
    expect(await ledger(key, `${range}&limit=1`)).toEqual(whole);
    expect(await ledger(key, `${range}&limit=1&order=desc`)).toEqual(whole.toReversed());
  });

  it('the changes of a schedule can be read for a range whose ends have a fraction of a millisecond', async () => {
    const range = { key: 'no-such-schedule', fromAt: T0 + 0.25, untilAt: T0 + 0.5 };
    const options = { projectId: database.projectId, runs: [], others: [range], nowAt: T0 + 0.5 };
    const changes = await readScheduleChanges(database.pool, options);
    expect(changes.get(range.key)?.filter(({ action }) => action.startsWith('schedule.'))).toEqual([]);
  });
});
