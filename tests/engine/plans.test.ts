import {
  type Claimant,
  type ClaimedRun,
  cancelMany,
  claimDue,
  claimWaiting,
  closeRuns,
  listSchedulePage,
  openDatabase,
  type ProjectShare,
  pauseMany,
  readMissed,
  readNextDue,
  readProjectsWith,
  readSlots,
  readStuckQueues,
  readUnchangedSlots,
  rescueRuns,
  resumeMany,
  skipNextOfMany,
  triggerMany,
  warmUp,
} from '@carillon/db';
import { insertSchedules, registerTestWorker, useDatabase } from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deferredRun, succeededRun } from './closed-run.js';

const database = useDatabase();
/** A pool with one connection. The test reads the plans that Postgres has prepared on this connection. */
let pool: ReturnType<typeof openDatabase>;
let holder: Claimant;
beforeAll(async () => {
  pool = openDatabase({ url: database.url, max: 1, applicationName: 'test', onError: () => {} });
  holder = await registerTestWorker(database);
});
afterAll(() => pool.end());

const thisMonth = new Date().toISOString().slice(0, 7).replace('-', '_');
const RUNS = `runs_${thisMonth}`;

async function claim(count: number, fairTo: readonly ProjectShare[] = []): Promise<ClaimedRun[]> {
  const { rule } = { rule: { at: new Date(Date.now() - 1_000).toISOString() } };
  await insertSchedules(
    database,
    Array.from({ length: count }, () => ({ rule })),
  );
  const options = { ...holder, leaseMs: 60_000, limit: count, fairTo, now: null };
  const { runs } = await claimDue(pool, options);
  expect(runs).toHaveLength(count);
  return runs;
}

const close = (runs: readonly ClaimedRun[]) =>
  closeRuns(pool, runs.map(succeededRun), { ...holder, now: null });

describe('Warm-up', () => {
  it('before anything is due, a worker prepares its statements for claiming and closing runs on every connection that its pool keeps open', async () => {
    const options = { url: database.url, applicationName: 'test', onError: () => {} };
    const kept = openDatabase({ ...options, max: 4, min: 2 });
    await warmUp(kept, holder, 2);
    const clients = await Promise.all([kept.connect(), kept.connect()]);
    for (const client of clients) {
      const { rows } = await client.query('select name from pg_prepared_statements order by name');
      expect(rows.map(({ name }) => name)).toEqual(['close-runs', 'lock-due', 'start-last', 'start-next']);
      client.release();
    }
    await kept.end();
  });
});

describe('HOT updates', () => {
  it('closing runs that succeed changes no index entry: every update is a HOT update', async () => {
    const runs = await claim(200);
    const before = await countUpdates();
    expect(await close(runs)).toHaveLength(200);
    const after = await countUpdates();
    expect({ updates: after.updates - before.updates, hot: after.hot - before.hot }).toEqual({
      updates: 200,
      hot: 200,
    });
  });

  async function countUpdates(): Promise<{ updates: number; hot: number }> {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      `select n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables
       where schemaname = 'carillon' and relname = $1`,
      [RUNS],
    );
    return rows[0];
  }
});

/** The statements whose plans must not depend on the statistics: claim, close, rescue, and the reads of the sweep. */
const STATEMENTS_OF_A_FIRE = [
  'lock-due',
  'lock-due-by-shares',
  'read-due-projects',
  'start-last',
  'start-next',
  'look-for-waiting',
  'lock-waiting',
  'lock-waiting-by-shares',
  'read-waiting-projects',
  'read-receipt-projects',
  'lock-schedules-of-waiting',
  'reopen-runs',
  'close-runs',
  'defer-runs',
  'lock-expired-leases',
  'lock-lost-runs',
  'close-lost-runs',
  'delete-leases',
  'read-slots',
  'read-unchanged-slots',
  'read-next-due',
  'read-missed',
  'read-stuck-queues',
];

/** The statements of bulk actions. Each one changes or reads a thousand schedules. */
const STATEMENTS_OF_A_BULK_ACTION = [
  'lock-many-schedules',
  'lock-many-agendas',
  'read-locked-schedules',
  'read-many-schedules',
  'pause-many',
  'hold-waiting-runs',
  'resume-many',
  'release-retries',
  'count-open-runs',
  'release-first-queued',
  'move-many',
  'insert-unstarted-runs',
  'insert-unstarted-runs-returning',
  'cancel-many',
  'cancel-waiting-runs',
];

describe('Planner policy', () => {
  /** Returns the plan that Postgres keeps for a prepared statement of the connection. */
  async function planOf(name: string): Promise<string> {
    const { rows } = await pool.query<{ count: number }>(
      'select cardinality(parameter_types) as count from pg_prepared_statements where name = $1',
      [name],
    );
    const nulls = Array.from({ length: rows[0]?.count ?? 0 }, () => 'null').join();
    const parameters = nulls === '' ? '' : `(${nulls})`;
    const plan = await pool.query<{ 'QUERY PLAN': string }>(`explain execute "${name}"${parameters}`);
    return plan.rows.map((row) => row['QUERY PLAN']).join('\n');
  }

  it('Postgres plans the statements that claim and close runs once per connection, and not again for each batch', async () => {
    for (let batch = 0; batch < 3; batch++) await close(await claim(3));
    const { rows } = await pool.query(
      `select name, generic_plans > 0 as "hasPlan", custom_plans::int as "plannedAgain" from pg_prepared_statements
       where name in ('lock-due', 'start-last', 'close-runs') order by name`,
    );
    expect(rows).toEqual(
      ['close-runs', 'lock-due', 'start-last'].map((name) => ({ name, hasPlan: true, plannedAgain: 0 })),
    );
  });

  /** Makes each statement of a fire, and each read of the sweep, run once, so that Postgres plans it. */
  async function executeAll(): Promise<void> {
    await warmUp(pool, holder, 1);
    await reopenDeferred([]);
    await reopenDeferred([{ id: 1, weight: 1 }]);
    expect(await rescueRuns(pool, Date.now() + 60_000)).toHaveLength(6);
    await readSlots(pool, { horizonMs: 60_000, slotMs: 5, now: null });
    await readUnchangedSlots(pool, { ringAts: [0], slotMs: 5, unchangedForMs: 0, now: null });
    await readNextDue(pool, null);
    await readMissed(pool, { olderThanMs: 0, now: null });
    await readStuckQueues(pool);
    for (const kind of ['due', 'waiting', 'receipts'] as const) await readProjectsWith(kind, pool, null);
  }

  /** Claims three runs, defers them, and claims them again, shared among these projects. */
  async function reopenDeferred(fairTo: readonly ProjectShare[]): Promise<void> {
    const runs = await claim(3, fairTo);
    await closeRuns(pool, runs.map(deferredRun), { ...holder, now: null });
    const reopened = await claimWaiting(pool, { ...holder, leaseMs: 0, limit: 10, fairTo, now: null });
    expect(reopened.runs).toHaveLength(3);
  }

  it('the statements that claim, close and rescue runs use index lookups, even if they were planned while the tables were nearly empty', async () => {
    await database.pool.query('truncate carillon.agenda, carillon.runs, carillon.leases');
    await close(await claim(3));
    await insertSchedules(database, [{ rule: { every: 'PT1H' } }]);
    await database.pool.query('analyze');
    // The transactions of a claim or close make Postgres use one generic plan for all parameters. The test reads the
    // plans outside such a transaction, so it sets the same mode.
    await pool.query('set plan_cache_mode = force_generic_plan');
    // The plans are read with null parameters. With partition pruning Postgres would remove all partitions from the
    // plan, because none holds a null month.
    await pool.query('set enable_partition_pruning = off');
    await executeAll();

    for (const name of STATEMENTS_OF_A_FIRE) {
      const plan = await planOf(name);
      // `installation` has a single row, and a batch is shared among all projects, so these two tables are read whole.
      expect(plan, name).not.toMatch(/Seq Scan on (?!installation|projects)/);
      expect(plan, name).not.toMatch(/Hash Join|Merge Join/);
    }
    for (const name of ['lock-due', 'start-last', 'start-next'])
      expect(await planOf(name), name).toMatch(/Index Scan using \w+ on agenda/);
    for (const name of ['look-for-waiting', 'lock-waiting', 'reopen-runs', 'close-runs', 'close-lost-runs'])
      expect(await planOf(name), name).toMatch(new RegExp(`Index (Only )?Scan using \\w+ on ${RUNS}`));
  });

  it('the statements of a bulk action use index lookups, even if they were planned while the tables were nearly empty', async () => {
    await database.pool.query('truncate carillon.agenda, carillon.runs, carillon.leases');
    await database.pool.query('delete from carillon.schedules');
    const hourly = { rule: { every: 'PT1H' } } as const;
    const ids = await insertSchedules(database, [hourly, { ...hourly, overlap: 'queue' }]);
    await database.pool.query('analyze');
    await pool.query('set plan_cache_mode = force_generic_plan');
    await pool.query('set enable_partition_pruning = off');
    const request = { projectId: database.projectId, ids, actor: 'test' };
    await triggerMany(pool, request);
    await pauseMany(pool, request, { note: null, untilAt: null });
    for (const change of [resumeMany, skipNextOfMany, cancelMany])
      expect((await change(pool, request)).changed).toBe(2);

    for (const name of STATEMENTS_OF_A_BULK_ACTION) {
      const plan = await planOf(name);
      expect(plan, name).not.toMatch(/Seq Scan/);
      expect(plan, name).not.toMatch(/Hash Join|Merge Join/);
    }
  });
});

describe('Search', () => {
  beforeAll(async () => {
    await insertSchedules(
      database,
      Array.from({ length: 300 }, (_, n) => ({ name: `veteran ${n}`, rule: { every: 'PT1H' } })),
    );
    // Every second schedule has finished: it has no next occurrence.
    await database.pool.query(
      `delete from carillon.agenda a using carillon.schedules s
       where s.id = a.schedule_id and s.name like 'veteran %' and s.id % 2 = 0`,
    );
    await database.pool.query('vacuum analyze carillon.schedules, carillon.agenda');
  });

  it.each([
    ['of all schedules', {}, 5],
    ['of finished schedules', { status: 'finished' as const }, 10],
  ])(
    'a search %s that reads all matches of its text looks up schedules, the newest first, only until its page is full',
    async (_which, more, maxLookups) => {
      const sent: { text: string; values: unknown[] }[] = [];
      const db = {
        query: (text: string, values: unknown[]) => {
          sent.push({ text, values });
          return pool.query(text, values);
        },
      } as unknown as typeof pool;
      const { projectId } = database;
      // The page is larger than the number of matches. So the newest schedules do not fill it, and the search reads all
      // matches by its last statement.
      const filter = { q: 'veteran', ...more };
      await listSchedulePage(db, { projectId, filter, limit: 301, beforeId: null });
      const { text, values } = sent.at(-1) as { text: string; values: unknown[] };
      const { rows } = await pool.query(
        `explain (analyze, format json) ${text}`,
        values.map((value) => (value === 301 ? 5 : value)),
      );
      const lookups = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter(
        (node) => node['Index Name'] === 'schedules_pkey',
      );
      expect(lookups).toHaveLength(1);
      expect(lookups[0]?.['Actual Loops']).toBeGreaterThanOrEqual(5);
      expect(lookups[0]?.['Actual Loops']).toBeLessThanOrEqual(maxLookups);
    },
  );

  interface PlanNode {
    'Index Name'?: string;
    'Actual Loops': number;
    Plans?: PlanNode[];
  }

  const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
});
