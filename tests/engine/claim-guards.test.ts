import {
  type Claimant,
  type ClaimedRun,
  cancelSchedule,
  claimDue,
  claimWaiting,
  editSchedule,
  ensurePartitions,
  openDatabase,
  readSchedule,
  type Transaction,
} from '@carillon/db';
import { MINUTE_MS } from '@carillon/shared';
import { draft, eventually, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;

const T0 = Date.parse('2026-03-02T10:00:00Z');

// If the partition were missing, the first claim would be repeated after the partition is created, and the repetition
// would hide what the claim had missed.
beforeAll(() => ensurePartitions(database.pool, T0));

let holder: Claimant;
beforeEach(async () => {
  holder = await engine.holder();
});
afterEach(() =>
  database.pool.query('truncate carillon.runs, carillon.leases, carillon.agenda, carillon.gaps'),
);

const options = (now: number | null, limit = 100) => ({ ...holder, leaseMs: 15_000, limit, fairTo: [], now });
const claim = (now: number) => claimDue(database.pool, options(now));
const insert = async (input: object = {}) => {
  const rule = { at: new Date(T0).toISOString() };
  return ((await insertSchedules(database, [{ rule, ...input }], { nowAt: T0 })) as [number])[0];
};
const agendaOf = async (id: number) =>
  (await database.pool.query('select * from carillon.agenda where schedule_id = $1', [id])).rows[0];

/** Runs `work` while another transaction holds the lock on the row of a schedule. */
async function whileLocked<T>(id: number, work: (locker: Transaction) => Promise<T>): Promise<T> {
  const locker = await database.pool.connect();
  try {
    await locker.query('begin');
    await locker.query('select from carillon.schedules where id = $1 for update', [id]);
    return await work(locker);
  } finally {
    await locker.query('rollback');
    locker.release();
  }
}

describe('Re-verification', () => {
  /**
   * Makes an agenda row change between two steps of the next claim: the claim has decided to start the run of the row,
   * but has not started it. Three occurrences are due. The claim first records two of them as skipped, and a trigger on
   * these inserts changes the agenda row.
   */
  async function changeAfterDecision(id: number, change: string): Promise<void> {
    await database.pool.query(`
      create or replace function change_agenda() returns trigger language plpgsql as $$ begin
        update carillon.agenda set ${change} where schedule_id = ${id};
        return new;
      end $$;
      create or replace trigger change_agenda after insert on carillon.runs for each row
        when (new.status = 'skipped') execute function change_agenda()`);
  }
  afterEach(() => database.pool.query('drop trigger if exists change_agenda on carillon.runs'));

  it.each([
    ['was edited', 'version = version + 1'],
    ['was rescheduled', `due_at = due_at + interval '1 millisecond'`],
    ['was paused', 'is_held = true'],
  ])(
    'a worker does not start the run of a due schedule that %s after the worker has decided to start the run',
    async (_, change) => {
      const recurring = { rule: { every: 'PT1M' }, misfire: { policy: 'once' } };
      const [changed, other] = [await insert(recurring), await insert(recurring)];
      await changeAfterDecision(changed, change);

      const { runs, lostKeys } = await claim(T0 + 3 * MINUTE_MS);

      expect(runs.map(({ scheduleId }) => scheduleId)).toEqual([other]);
      expect(lostKeys).toHaveLength(1);
      const statuses = (await engine.runsOf(changed)).map(({ status }) => status);
      expect(statuses).toEqual(['skipped', 'skipped']);
      // The agenda row has not moved on: it still names the first occurrence.
      expect(await agendaOf(changed)).toMatchObject({ occurrence_at: T0 + MINUTE_MS, runs_total: 0 });
    },
  );

  it.each([
    ['was edited', 'version = version + 1'],
    ['was rescheduled', `due_at = due_at + interval '1 millisecond'`],
    ['was paused', 'is_held = true'],
  ])(
    'a worker does not start the last run of a schedule that %s after the worker has decided to start the run',
    async (_, change) => {
      const lastOfThree = {
        rule: { every: 'PT1M' },
        misfire: { policy: 'once' },
        endAt: new Date(T0 + 3 * MINUTE_MS).toISOString(),
      };
      const id = await insert(lastOfThree);
      await changeAfterDecision(id, change);

      const { runs } = await claim(T0 + 3 * MINUTE_MS);

      expect(runs).toEqual([]);
      expect(await agendaOf(id)).toMatchObject({ occurrence_at: T0 + MINUTE_MS, runs_total: 0 });
    },
  );

  it('if an edit is committed while a worker reads the due schedules, the run starts with the new definition (invariant I5)', async () => {
    const rule = { at: new Date(T0).toISOString() };
    const id = await insert({ payload: 'old' });
    const read = await claimWhile(async () => {
      const edited = await editSchedule(
        database.pool,
        { ref: { id }, actor: 'ops', now: T0 },
        draft({ rule, payload: 'new' }, T0),
      );
      expect(edited).toMatchObject({ kind: 'changed', value: { version: 2 }, dueAts: [T0] });
    });
    // The claim in progress may skip the schedule. In production the edit wakes a worker, which claims again.
    const runs = [...read.runs, ...(await claim(T0)).runs];
    expect(runs).toMatchObject([{ scheduleId: id, payload: '"new"' }]);
    expect(await engine.runsOf(id)).toMatchObject([{ version: 2 }]);
  });

  it.each([
    ['a pause', 'I4', 'update carillon.agenda set is_held = true where schedule_id = $1'],
    ['a cancel', 'I4', 'delete from carillon.agenda where schedule_id = $1'],
    [
      'a reschedule',
      'I6',
      `update carillon.agenda set due_at = due_at + interval '1 minute' where schedule_id = $1`,
    ],
  ])(
    'if %s of a one-shot is committed while a worker reads the due schedules, the worker does not start its run (%s)',
    async (_, _promise, change) => {
      const [changed, other] = [await insert(), await insert()];
      const { runs } = await claimWhile(() => database.pool.query(change, [changed]));
      expect(runs.map(({ scheduleId }) => scheduleId)).toEqual([other]);
      expect(await engine.runsOf(changed)).toEqual([]);
    },
  );

  /** Claims, and makes a change after the claim has taken its snapshot and before it locks a row. */
  async function claimWhile(change: () => Promise<unknown>) {
    const slow = openSlowClaims();
    const gate = await database.pool.connect();
    try {
      await gate.query('select pg_advisory_lock($1)', [GATE]);
      const claiming = claimDue(slow, options(T0));
      await eventually(async () => {
        const waiting = `select from pg_locks where locktype = 'advisory' and not granted and objid = ${GATE}`;
        return (await database.pool.query(waiting)).rowCount === 1;
      });
      await change();
      await gate.query('select pg_advisory_unlock($1)', [GATE]);
      return await claiming;
    } finally {
      gate.release();
      await slow.end();
    }
  }

  const GATE = 4_711;

  /**
   * Opens connections whose claims stop at an advisory lock, after they have taken their snapshot and before they lock
   * a row.
   */
  function openSlowClaims() {
    const pool = openDatabase({ url: database.url, max: 1, applicationName: 'test', onError: () => {} });
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      const queryAtTheGate = (statement: { name?: string; text?: string }, ...rest: unknown[]) => {
        if (statement.name !== 'lock-due') return query(statement, ...rest);
        const text = statement.text?.replace(
          'where not a.is_held',
          `where (select pg_advisory_xact_lock(${GATE})) is not null and not a.is_held`,
        );
        expect(text).not.toBe(statement.text);
        return query({ ...statement, text }, ...rest);
      };
      Object.assign(client, { query: queryAtTheGate });
    });
    return pool;
  }
});

describe('Blocked claims', () => {
  it('if another transaction has locked the row of a schedule that a claim must change, the claim skips the schedule and returns isBlocked: true', async () => {
    const id = await insert({ rule: { every: 'PT1M' }, maxRuns: 2 });
    const [first] = (await claim(T0 + MINUTE_MS)).runs;
    await engine.succeed(first as ClaimedRun, T0 + MINUTE_MS);
    const other = await insert({ rule: { every: 'PT2M' } });
    const before = await agendaOf(id);

    await whileLocked(id, async (locker) => {
      const blocked = await claim(T0 + 2 * MINUTE_MS);
      expect(blocked.runs.map(({ scheduleId }) => scheduleId)).toEqual([other]);
      expect(blocked).toMatchObject({ isBlocked: true });
      expect(await agendaOf(id)).toEqual(before);
      // The other transaction goes on to lock the agenda row, as every change of a schedule does. It does not have to
      // wait, because the claim has released that row.
      await locker.query('select from carillon.agenda where schedule_id = $1 for update nowait', [id]);
    });

    const claimed = await claim(T0 + 2 * MINUTE_MS);
    expect(claimed).toMatchObject({ isBlocked: false, runs: [{ scheduleId: id }] });
    expect(await readSchedule(database.pool, projectId, claimed.runs[0]?.scheduleKey ?? '')).toMatchObject({
      status: 'finished',
      runsTotal: 2,
    });
  });

  it('a one-shot or recurring schedule can be claimed while another transaction locks its row in `schedules`, because the claim does not change that row', async () => {
    const [once, recurring] = [await insert(), await insert({ rule: { every: 'PT1M' } })];
    await whileLocked(once, () =>
      whileLocked(recurring, async () => {
        const claimed = await claim(T0 + MINUTE_MS);
        expect(claimed.runs.map(({ scheduleId }) => scheduleId)).toEqual([once, recurring]);
        expect(claimed.isBlocked).toBe(false);
      }),
    );
  });

  it('the run total of a recurring schedule that was edited to a one-shot includes the runs before the edit', async () => {
    const id = await insert({ rule: { every: 'PT1M' } });
    await claim(T0 + MINUTE_MS);
    const rule = { at: new Date(T0 + 2 * MINUTE_MS).toISOString() };
    const request = { ref: { id }, actor: 'ops', now: T0 + MINUTE_MS + 1 };
    await editSchedule(database.pool, request, draft({ rule }, T0 + MINUTE_MS + 1));
    const [last] = (await claim(T0 + 2 * MINUTE_MS)).runs;
    expect(await readSchedule(database.pool, projectId, last?.scheduleKey ?? '')).toMatchObject({
      status: 'finished',
      runsTotal: 2,
    });
  });

  it('a schedule with an unreadable definition is skipped while another transaction locks its row, and is paused by the next claim after that', async () => {
    const id = await insert();
    await database.pool.query(`update carillon.schedules set plan = '{' where id = $1`, [id]);
    await whileLocked(id, async () => {
      expect(await claim(T0)).toMatchObject({ runs: [], isBlocked: true });
      expect(await agendaOf(id)).toMatchObject({ is_held: false });
    });
    expect(await claim(T0)).toMatchObject({ runs: [], isBlocked: false });
    expect(await agendaOf(id)).toMatchObject({ is_held: true });
  });

  it('while another transaction locks a schedule, a claim skips the waiting run of that schedule at once and returns isBlocked: true', async () => {
    const id = await insert({ retry: { maxAttempts: 3, baseDelay: 'PT1S' } });
    const [run] = (await claim(T0)).runs;
    await engine.fail(run as ClaimedRun, T0 + 1);

    await whileLocked(id, async (locker) => {
      expect(await claimWaiting(database.pool, options(T0 + MINUTE_MS))).toMatchObject({
        runs: [],
        isBlocked: true,
      });
      // The other transaction goes on to lock the runs, as every change of a schedule does. It does not have to wait,
      // because the claim has released the runs.
      await locker.query('select from carillon.runs where schedule_id = $1 for update nowait', [id]);
    });

    expect(await claimWaiting(database.pool, options(T0 + MINUTE_MS))).toMatchObject({
      runs: [{ scheduleId: id, attempt: 2 }],
      isBlocked: false,
    });
  });

  it.each([
    ['', []],
    [' if projects share the batch', [{ id: projectId, weight: 1 }]],
  ])('a worker claims only those waiting runs whose handler it has%s', async (_, fairTo) => {
    const retry = { maxAttempts: 3, baseDelay: 'PT1S' } as const;
    const [known, unknown] = [
      await insert({ target: { type: 'handler', name: 'noop' }, retry }),
      await insert({ target: { type: 'handler', name: 'other' }, retry }),
    ];
    for (const run of await engine.claim(T0)) await engine.fail(run, T0 + 1);
    const claimWith = async (handlers: string[]) => {
      const claimed = await claimWaiting(database.pool, { ...options(T0 + MINUTE_MS), handlers, fairTo });
      return claimed.runs.map(({ scheduleId }) => scheduleId);
    };
    expect(await claimWith(['noop'])).toEqual([known]);
    expect(await claimWith(['noop'])).toEqual([]);
    expect(await engine.runsOf(unknown)).toMatchObject([{ status: 'retrying', attempt: 1 }]);
    expect(await claimWith(['other'])).toEqual([unknown]);
  });

  it('a claim whose whole batch was blocked does not report a full batch, so that its worker does not claim again at once', async () => {
    const id = await insert({
      rule: { every: 'PT1M' },
      maxRuns: 2,
      retry: { maxAttempts: 3, baseDelay: 'PT1S' },
    });
    const [first] = (await claim(T0 + MINUTE_MS)).runs;
    await engine.fail(first as ClaimedRun, T0 + MINUTE_MS);
    const fullBatch = options(T0 + 2 * MINUTE_MS, 1);
    await whileLocked(id, async () => {
      const blocked = { runs: [], isBlocked: true, isFull: false };
      expect(await claimDue(database.pool, fullBatch)).toMatchObject(blocked);
      expect(await claimWaiting(database.pool, fullBatch)).toMatchObject(blocked);
    });
    const claimed = { runs: [{ scheduleId: id }], isBlocked: false, isFull: true };
    expect(await claimDue(database.pool, fullBatch)).toMatchObject(claimed);
    expect(await claimWaiting(database.pool, fullBatch)).toMatchObject(claimed);
  });

  it('claims and cancels that race for the last occurrences of the same schedules do not deadlock, and each occurrence gets one run', async () => {
    for (let round = 0; round < 10; round++) {
      const ids = await insertSchedules(
        database,
        Array.from({ length: 20 }, () => ({ rule: { every: 'PT1M' }, maxRuns: 2 })),
        { nowAt: T0 },
      );
      const { runs } = await claim(T0 + MINUTE_MS);
      await engine.closeAll(
        runs.map((run) => ({ run, outcome: { kind: 'succeeded' } })),
        T0 + MINUTE_MS,
      );
      const now = T0 + 2 * MINUTE_MS;
      const cancel = (id: number) => cancelSchedule(database.pool, { ref: { id }, actor: 'ops', now });
      const [claimed] = await Promise.all([claim(now), ...ids.toReversed().map(cancel)]);
      const later = await claim(now);
      expect(later.runs).toEqual([]);
      // The second occurrence of each schedule has exactly one run: claimed, or skipped by the cancel.
      const all = await Promise.all(ids.map((id) => engine.runsOf(id)));
      expect(all.map((rows) => rows.length)).toEqual(ids.map(() => 2));
      const started = all.filter(([, second]) => second?.status === 'running').length;
      expect(started).toBe(claimed.runs.length);
      await database.pool.query('truncate carillon.runs, carillon.leases');
    }
  });
});

describe('Costly rules', () => {
  it('a claim of 1,000 schedules whose rules take long to evaluate claims some of them within seconds, and the next claim continues', async () => {
    const nowAt = T0 + MINUTE_MS;
    const rule = { every: 'PT1M' };
    const ids = await insertSchedules(
      database,
      Array.from({ length: 1_000 }, () => ({ rule, target: { type: 'handler' as const, name: 'noop' } })),
      { nowAt: T0 },
    );
    // The rules are written by SQL, so that no rule is in the cache of this process.
    await database.pool.query(
      `update carillon.schedules set timing = json_build_object('rule', json_build_object('kind', 'rrule', 'rrule',
         E'DTSTART:20150101T090000\\nRRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1;COUNT=' || 3000 + id)) where id = any($1)`,
      [ids],
    );
    const first = await claimDue(database.pool, options(nowAt, 2_000));
    expect(first).toMatchObject({ isFull: true, isBlocked: false });
    expect(first.runs.length).toBeGreaterThan(0);
    expect(first.runs.length).toBeLessThan(1_000);
    const second = await claimDue(database.pool, options(nowAt, 2_000));
    expect(second.runs.length).toBeGreaterThan(0);
    const claimed = [...first.runs, ...second.runs].map(({ scheduleId }) => scheduleId);
    expect(new Set(claimed).size).toBe(claimed.length);
  });
});
