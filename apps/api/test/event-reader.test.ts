import { type ClaimedRun, type Database, readWatermark, type Transaction } from '@carillon/db';
import { eventually, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import type { CarillonEvent } from '../src/events/event.js';
import { EventReader } from '../src/events/event-reader.js';

const database = useDatabase();
const engine = useEngine(database);
/** More runs than one poll reads. */
const RUNS_BEYOND_ONE_POLL = 6_000;
const YEARLY = { cron: '0 0 1 1 *' };

/**
 * Starts a reader that reports everything from now on. `start` is the epoch (number of a lease) that a claim at this
 * moment would get.
 */
async function openReader() {
  const watermark = await readWatermark(database.pool, database.projectId);
  const reader = new EventReader(database.pool, database.projectId, watermark, () => Date.now());
  return { reader: await reader.start(), start: watermark.epoch };
}

interface InsertedRuns {
  status?: 'running' | 'succeeded' | 'skipped';
  /** SQL, with the number of the run as `n`. */
  epoch?: string;
}

/** Inserts runs of a new schedule. Returns the id of the schedule. */
async function insertRuns(
  count: number,
  { status = 'succeeded', epoch = 'null' }: InsertedRuns,
  db: Database = database.pool,
): Promise<number> {
  const [id] = await insertSchedules({ pool: db, projectId: database.projectId }, [{ rule: YEARLY }]);
  await db.query(
    `insert into carillon.runs (schedule_id, project_id, occurrence_at, origin, month, version, status, epoch, due_at, recorded_at,
                                claimed_at, happened_at, finished_at, attempt, outcome, reason_code)
     select $1, 1, timestamptz '2026-01-01' + n * interval '1 s', 'rule', date_trunc('month', now() at time zone 'UTC'), 1,
            $2::carillon.run_status, ${epoch}, now(), now(), now(), now(),
            case when $2 <> 'running' then now() end, case $2 when 'skipped' then 0 else 1 end,
            case $2 when 'succeeded' then 'succeeded'::carillon.attempt_outcome end,
            case $2 when 'skipped' then 'overlap' end
     from generate_series(1, $3) as n`,
    [id, status, count],
  );
  return id as number;
}

/** Lets the running runs of an SQL condition succeed. */
const succeedWhere = (condition: string) =>
  database.pool.query(
    `update carillon.runs set status = 'succeeded', outcome = 'succeeded', finished_at = now()
     where status = 'running' and ${condition}`,
  );

/** Inserts audit entries about schedules. */
const insertAudit = (count: number, db: Database = database.pool) =>
  db.query(
    `insert into carillon.audit_log (project_id, actor, action, subject)
     select 1, 'test', 'schedule.paused', n from generate_series(1, $1) as n`,
    [count],
  );

/** Does `work` in a transaction that commits only after `meanwhile` has returned. */
async function commitLate(work: (tx: Transaction) => Promise<unknown>, meanwhile: () => Promise<unknown>) {
  const tx = await database.pool.connect();
  try {
    await tx.query('begin');
    await work(tx);
    await meanwhile();
    await tx.query('commit');
  } finally {
    tx.release(true);
  }
}

/** The events of runs since the last poll, without those of schedules. */
const readRunEvents = async (reader: EventReader) =>
  (await reader.poll()).filter(({ type }) => type.startsWith('run.'));
const namesOf = (events: readonly CarillonEvent[]) => events.map(({ type }) => type);
const idsOf = (events: readonly CarillonEvent[], type: string) =>
  events.flatMap((event) => (event.type === type ? [event.data.id] : []));

/** Polls until a poll finds nothing new. */
async function pollAll(reader: EventReader): Promise<CarillonEvent[][]> {
  const polls: CarillonEvent[][] = [];
  for (;;) {
    const events = await reader.poll();
    if (events.length === 0) return polls;
    polls.push(events);
  }
}

describe('EventReader', () => {
  it('if more runs have finished than one poll reads, the event reader reports each of them once', async () => {
    const { reader, start } = await openReader();
    await insertRuns(RUNS_BEYOND_ONE_POLL, { epoch: `${start + 1} + n / 100` });
    const polls = await pollAll(reader);
    expect(polls.length).toBeGreaterThan(1);
    const ended = polls.flatMap((events) => idsOf(events, 'run.succeeded'));
    expect(ended).toHaveLength(RUNS_BEYOND_ONE_POLL);
    expect(new Set(ended).size).toBe(RUNS_BEYOND_ONE_POLL);
  });

  it('the event reader also reports runs whose claim commits after a claim with a greater epoch (number of a lease)', async () => {
    const { reader, start } = await openReader();
    await insertRuns(1, { epoch: `${start + 20}` });
    const first = await readRunEvents(reader);
    await insertRuns(1, { epoch: `${start + 10}` });
    const late = await readRunEvents(reader);
    expect(namesOf(first)).toEqual(['run.started', 'run.succeeded']);
    expect(namesOf(late)).toEqual(['run.started', 'run.succeeded']);
    expect(late[0]?.data.runId).not.toBe(first[0]?.data.runId);
    expect(await readRunEvents(reader)).toEqual([]);
  });

  it('the event reader reports the end, but not the start, of a run that was in flight when the reader started', async () => {
    const at = Date.now();
    await insertSchedules(database, [{ rule: { at: new Date(at).toISOString() } }], { nowAt: at });
    const [run] = await engine.claim(at);
    const { reader } = await openReader();
    expect(await readRunEvents(reader)).toEqual([]);
    await engine.succeed(run as ClaimedRun, Date.now());
    expect(namesOf(await readRunEvents(reader))).toEqual(['run.succeeded']);
  });

  it('if more runs are skipped at one instant than one poll reads, the event reader reports each of them once', async () => {
    const { reader } = await openReader();
    await insertRuns(RUNS_BEYOND_ONE_POLL, { status: 'skipped' });
    const polls = await pollAll(reader);
    expect(polls.length).toBeGreaterThan(1);
    const skipped = polls.flatMap((events) => idsOf(events, 'run.skipped'));
    expect(skipped).toHaveLength(RUNS_BEYOND_ONE_POLL);
    expect(new Set(skipped).size).toBe(RUNS_BEYOND_ONE_POLL);
  });

  it('the event reader also reports a run whose claim commits after a full page of claims with greater epochs (numbers of leases) was read', async () => {
    const { reader, start } = await openReader();
    let first: CarillonEvent[] = [];
    await commitLate(
      (tx) => insertRuns(1, { epoch: `${start + 10}` }, tx),
      async () => {
        await insertRuns(RUNS_BEYOND_ONE_POLL, { epoch: `${start + 20} + n / 100` });
        first = await readRunEvents(reader);
      },
    );
    const ended = [first, ...(await pollAll(reader))].flatMap((events) => idsOf(events, 'run.succeeded'));
    expect(ended).toHaveLength(RUNS_BEYOND_ONE_POLL + 1);
    expect(new Set(ended).size).toBe(RUNS_BEYOND_ONE_POLL + 1);
  });

  it('the event reader reports a full page of new runs at each poll while more runs are claimed than one poll reads', async () => {
    const { reader, start } = await openReader();
    const ended: string[] = [];
    for (let round = 1; round <= 4; round++) {
      await insertRuns(RUNS_BEYOND_ONE_POLL, { epoch: `${start + round * 1_000} + n / 100` });
      ended.push(...idsOf(await reader.poll(), 'run.succeeded'));
      expect(ended.length).toBeGreaterThanOrEqual(round * 5_000);
    }
    ended.push(...(await pollAll(reader)).flatMap((events) => idsOf(events, 'run.succeeded')));
    expect(ended).toHaveLength(4 * RUNS_BEYOND_ONE_POLL);
    expect(new Set(ended).size).toBe(4 * RUNS_BEYOND_ONE_POLL);
  });

  it('the event reader reports all runs of one lease if they are more than one poll reads', async () => {
    const { reader, start } = await openReader();
    await insertRuns(RUNS_BEYOND_ONE_POLL, { epoch: `${start + 1}` });
    const ended = (await pollAll(reader)).flatMap((events) => idsOf(events, 'run.succeeded'));
    expect(ended).toHaveLength(RUNS_BEYOND_ONE_POLL);
    expect(new Set(ended).size).toBe(RUNS_BEYOND_ONE_POLL);
  });

  it('the event reader reports the end of each run in flight once if more runs are in flight than one poll reads', async () => {
    const { reader, start } = await openReader();
    await insertRuns(7_000, { status: 'running', epoch: `${start + 1} + (n - 1) / 1000` });
    expect((await pollAll(reader)).flatMap((events) => idsOf(events, 'run.started'))).toHaveLength(7_000);
    const pollTwice = async () => {
      const events = [...(await reader.poll()), ...(await reader.poll())];
      return idsOf(events, 'run.succeeded');
    };
    // One slow run keeps each lease open.
    const isQuick = 'extract(epoch from occurrence_at)::bigint % 1000 <> 0';
    await succeedWhere(`${isQuick} and epoch = ${start + 7}`);
    const quickOfLastLease = await pollTwice();
    await succeedWhere(isQuick);
    const quick = await pollTwice();
    await succeedWhere('true');
    const slow = await pollTwice();
    expect([quickOfLastLease.length, quick.length, slow.length]).toEqual([999, 5_994, 7]);
    expect(new Set([...quickOfLastLease, ...quick, ...slow]).size).toBe(7_000);
  });

  it('the event reader reports the end of a run exactly once, even while another run of its lease stays in flight', async () => {
    const { reader, start } = await openReader();
    await insertRuns(2, { status: 'running', epoch: `${start + 1}` });
    await readRunEvents(reader);
    await succeedWhere(`epoch = ${start + 1} and extract(epoch from occurrence_at)::bigint % 2 = 0`);
    const events: CarillonEvent[] = [];
    // The reader remembers only for 3 s which leases it has read. The polls go on for longer than that.
    for (const startedAt = Date.now(); Date.now() < startedAt + 3_500; )
      events.push(...(await readRunEvents(reader)));
    expect(namesOf(events)).toEqual(['run.succeeded']);
  });

  it('the event reader reports the next attempt of a run once if the attempt has started and ended since the last poll', async () => {
    const at = Date.now();
    await insertSchedules(database, [{ rule: { at: new Date(at).toISOString() } }], { nowAt: at });
    const [first] = await engine.claim(at);
    const { reader } = await openReader();
    await engine.fail(first as ClaimedRun, at);
    const [second] = await engine.claim(at + 60_000);
    await engine.succeed(second as ClaimedRun, at + 60_000);
    const events = await readRunEvents(reader);
    expect(namesOf(events)).toEqual(['run.started', 'run.succeeded']);
    expect(events.map(({ data }) => data.attemptCount)).toEqual([2, 2]);
    expect(await readRunEvents(reader)).toEqual([]);
  });

  it('the event reader reports the cancel of a run in flight exactly once, even if other runs fill the page of that poll', async () => {
    const { reader, start } = await openReader();
    await insertRuns(1, { status: 'running', epoch: `${start + 1}` });
    expect(namesOf(await readRunEvents(reader))).toEqual(['run.started']);
    await database.pool.query(
      `update carillon.runs set status = 'cancelled', outcome = 'cancelled', finished_at = now(), happened_at = now()
       where epoch = $1`,
      [start + 1],
    );
    await insertRuns(RUNS_BEYOND_ONE_POLL, { epoch: `${start + 20} + n / 100` });
    const cancelled = (await pollAll(reader)).flatMap((events) => idsOf(events, 'run.cancelled'));
    expect(cancelled).toHaveLength(1);
  });

  it('the event reader reports a run that is claimed and cancelled during a poll as started and then as cancelled, each once', async () => {
    const { reader, start } = await openReader();
    const id = await insertRuns(1, {});
    let poll: Promise<CarillonEvent[]> = Promise.resolve([]);
    // The poll waits for the audit log after it has read the claims and before it reads the cancelled runs.
    await commitLate(
      (tx) => tx.query('lock table carillon.audit_log in access exclusive mode'),
      async () => {
        poll = readRunEvents(reader);
        await eventually(
          async () => (await database.pool.query('select from pg_locks where not granted')).rowCount === 1,
        );
        await database.pool.query(
          `update carillon.runs set status = 'cancelled', outcome = 'cancelled', epoch = $2, happened_at = now()
           where schedule_id = $1`,
          [id, start + 1],
        );
      },
    );
    const events = [...(await poll), ...(await readRunEvents(reader)), ...(await readRunEvents(reader))];
    expect(namesOf(events)).toEqual(['run.started', 'run.cancelled']);
  });

  it('if a poll of the event reader fails in Postgres, the next poll reports the events of the failed one', async () => {
    const { reader, start } = await openReader();
    await insertRuns(RUNS_BEYOND_ONE_POLL, { epoch: `${start + 1} + n / 100` });
    await database.pool.query('alter table carillon.audit_log rename to audit_log_away');
    await expect(reader.poll()).rejects.toThrow();
    await database.pool.query('alter table carillon.audit_log_away rename to audit_log');
    const ended = (await pollAll(reader)).flatMap((events) => idsOf(events, 'run.succeeded'));
    expect(new Set(ended).size).toBe(RUNS_BEYOND_ONE_POLL);
  });

  it('if more schedules change at once than one poll reads, the event reader reports each change once, also one that commits late', async () => {
    const { reader } = await openReader();
    let first: CarillonEvent[] = [];
    await commitLate(
      (tx) => insertAudit(1, tx),
      async () => {
        await insertAudit(RUNS_BEYOND_ONE_POLL);
        first = await reader.poll();
      },
    );
    const changes = [first, ...(await pollAll(reader))].flatMap((events) =>
      idsOf(events, 'schedule.changed'),
    );
    expect(changes).toHaveLength(RUNS_BEYOND_ONE_POLL + 1);
    expect(new Set(changes).size).toBe(RUNS_BEYOND_ONE_POLL + 1);
  });
});
