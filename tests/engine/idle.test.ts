import { Bells, connectProducer, PostgresClock } from '@carillon/queue';
import { eventually, insertSchedules, useDatabase, useProcesses } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);

/** Reads how often each statement has run in this database. */
async function readStatements(): Promise<Map<string, number>> {
  const { rows } = await database.pool.query<{ query: string; calls: number }>(
    `select query, sum(calls)::int as calls from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database())
       and query not like '%pg_stat_statements%' group by query`,
  );
  return new Map(rows.map(({ query, calls }) => [query, calls]));
}

const countOf = (statements: Map<string, number>, part: string) =>
  [...statements].reduce((sum, [text, calls]) => sum + (text.includes(part) ? calls : 0), 0);
const LOOK_FOR_DUE = 'order by a.due_at, a.schedule_id';

/**
 * Waits until Postgres gets no statement for a second, which means that the workers have started or their claim has
 * ended.
 */
async function untilQuiet(): Promise<void> {
  let earlier = -1;
  await eventually(
    async () => {
      const calls = countOf(await readStatements(), '');
      const isQuiet = calls === earlier;
      earlier = calls;
      return isQuiet;
    },
    { everyMs: 1_000, what: 'workers that are idle' },
  );
}

it('between two sweeps a worker queries Postgres only when a delayed job in Redis (a bell) wakes it, and only with the statements of a claim', async () => {
  await database.pool.query('create extension pg_stat_statements');
  const inMs = (ms: number) => ({ rule: { at: new Date(Date.now() + ms).toISOString() } });
  await insertSchedules(
    database,
    Array.from({ length: 1_000 }, () => inMs(3_600_000)),
  );
  const env = { SWEEP_INTERVAL_MS: '60000', ARM_HORIZON_MS: '180000' };
  await Promise.all([1, 2, 3].map(() => processes.worker({ env })));
  const redis = connectProducer(database.redisUrl, () => {});
  await new Promise((resolve) => redis.once('ready', resolve));
  const bells = new Bells({
    redis,
    prefix: database.prefix,
    clock: new PostgresClock(Date.now),
    process: 'test',
    horizonMs: 60_000,
    onArmed: () => {},
  });
  await untilQuiet();
  // Nothing is due when these two bells (delayed jobs in Redis that wake a worker) ring. Adding a bell sends no
  // statement to Postgres.
  await bells.arm([Date.now() + 1_000]);
  const looksAtTheStart = countOf(await readStatements(), LOOK_FOR_DUE);
  const looks = async () => countOf(await readStatements(), LOOK_FOR_DUE) - looksAtTheStart;
  await eventually(async () => (await looks()) >= 1);
  await untilQuiet();
  const before = await readStatements();
  await bells.arm([Date.now() + 1_000]);
  await eventually(async () => (await looks()) >= 2);
  const asked = [...(await readStatements())]
    .map(([text, calls]) => [text, calls - (before.get(text) ?? 0)] as const)
    .filter(([, calls]) => calls > 0);

  // The second bell caused one claim. A claim has two transactions, so no statement is sent more than twice. If the
  // three workers polled once a second, they would send a statement more often.
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter(([, calls]) => calls > 2)).toEqual([]);
  await bells.close();
  redis.disconnect();
});
