import { applyRetention, claimDue, openDatabase } from '@carillon/db';
import type { Pool } from 'pg';
import { onSite, type Site } from '../harness/carillon.js';
import { registerClaimant } from '../harness/claimant.js';
import { closePool, reportConnectionError } from '../harness/connections.js';
import { draft, PROJECT_ID } from '../harness/drafts.js';
import { number } from '../harness/format.js';
import type { Race, RaceContext } from '../harness/race.js';
import { seedSchedules } from '../harness/seed.js';
import { percentile } from '../harness/statistics.js';
import { sleep } from '../harness/wait.js';
import { createMonth } from './seed-history.js';

const DROP_GOAL_MS = 1_000;
const CLAIM_GOAL_MS = 1_000;
const MONTH = '2020-02-01';
const TABLE = 'runs_2020_02';
const DAYS = { runs: 30, schedules: 30, audit: 30 };

interface Sizes {
  /** The number of schedules that fired all through the month, and the number of runs of each. */
  recurring: number;
  runsEach: number;
  oneShots: number;
  /** The number of one-shots that are due from the start. It is large enough for the claimer to find some at any time. */
  due: number;
}

/**
 * Measures how long Carillon takes to drop a month of history and to delete a day of one-shots, and how much this slows
 * the claims of a worker.
 */
export const retention: Race = {
  name: 'retention',
  work: 'a month with 10 million runs is dropped while a long read of the table is open, and then 1 million one-shots that fired long ago are deleted with everything about them. A claimer takes due schedules all the time',
  rounds: 1,
  async run(context) {
    const sizes = context.isQuick
      ? { recurring: 100, runsEach: 100, oneShots: 5_000, due: 5_000 }
      : { recurring: 10_000, runsEach: 1_000, oneShots: 1_000_000, due: 200_000 };
    const measured = await onSite(context.arena, (site) => measure(context, site, sizes));
    const { preparedMs, hiddenMs, droppedMs, pruneMs, oneShotsMs, left, claims } = measured;
    const monthly = sizes.recurring * sizes.runsEach;
    const slowest = Math.max(...claims.map(({ tookMs }) => Math.max(...tookMs)));
    return {
      head: ['step', 'rows', 'ms', 'claims meanwhile', 'claim p50 ms', 'p99 ms', 'slowest ms'],
      rows: [
        row('before the drop: other tables pruned, totals saved, in batches', 0, preparedMs, claims[0]),
        row('month hidden from every new statement, while a read is open', monthly, hiddenMs, claims[0]),
        row(
          'statements that detach and drop, without the commit that removes the files',
          monthly,
          droppedMs,
          claims[1],
        ),
        row('the whole prune after the read, with that commit', monthly, pruneMs, claims[1]),
        row('one-shots deleted with their runs and audit entries', sizes.oneShots, oneShotsMs, claims[2]),
        row('nothing is removed, for comparison', 0, 0, claims[3]),
      ],
      goals: [
        {
          goal: `a month is dropped within ${number(DROP_GOAL_MS)} ms`,
          figure: `${number(hiddenMs + pruneMs)} ms`,
          isMet: hiddenMs + pruneMs <= DROP_GOAL_MS,
        },
        {
          goal: `no claim takes longer than ${number(CLAIM_GOAL_MS)} ms`,
          figure: `${number(slowest)} ms`,
          isMet: slowest <= CLAIM_GOAL_MS,
        },
        { goal: 'one-shots leave no row behind', figure: `${number(left)} rows`, isMet: left === 0 },
      ],
      notes: ['The claimer asks for 10 due schedules at a time, one claim after the other.'],
      plots: [],
      refused: [],
    };
  },
};

interface Claims {
  tookMs: number[];
}

const row = (step: string, rows: number, ms: number, claims: Claims | undefined) => {
  const tookMs = claims?.tookMs ?? [];
  const figures = [percentile(tookMs, 0.5), percentile(tookMs, 0.99), Math.max(...tookMs)];
  return [step, number(rows), number(ms), number(tookMs.length), ...figures.map(number)];
};

async function measure({ arena, say }: RaceContext, { pool, env }: Site, sizes: Sizes) {
  await seedSchedules(pool, {
    prefix: 'due-',
    count: sizes.due,
    fromAt: Date.now() - 60_000,
    untilAt: Date.now(),
  });
  const before = await countAll(pool);
  await seedRecurring(pool, sizes, say);
  await arena.maintain(env.DATABASE_URL);
  const open = (queryTimeoutMs: number) =>
    openDatabase({
      url: env.DATABASE_URL,
      max: 2,
      applicationName: 'carillon-bench-retention',
      queryTimeoutMs,
      onError: reportConnectionError,
    });
  const [hasty, patient] = [open(2_000), open(600_000)];
  const ddl = watchDdl([hasty, patient]);
  const claimer = await startClaimer(pool);
  try {
    const reader = await pool.connect();
    await reader.query('begin; select count(*) from carillon.runs where schedule_id = 1');
    let startedAt = performance.now();
    const waiting = applyRetention(hasty, { defaults: { ...DAYS, schedules: null }, now: null });
    while (await hasMonth(pool)) await sleep(5);
    const hiddenAt = performance.now();
    const detachAt = ddl[0]?.sentAt ?? hiddenAt;
    const [preparedMs, hiddenMs] = [detachAt - startedAt, hiddenAt - detachAt];
    if ((await waiting).postponed === null) throw new Error('the month was dropped under an open read');
    claimer.next();
    await reader.query('rollback');
    reader.release();
    startedAt = performance.now();
    ddl.length = 0;
    await applyRetention(patient, { defaults: { ...DAYS, schedules: null }, now: null });
    const pruneMs = performance.now() - startedAt;
    const droppedMs = ddl.reduce((sum, { tookMs }) => sum + tookMs, 0);
    say(
      `month of ${number(sizes.recurring * sizes.runsEach)} runs: ${number(hiddenMs)} + ${number(droppedMs)} ms`,
    );
    claimer.pause();
    await pool.query(`delete from carillon.schedules where key like 'every-%'`);
    await seedOneShots(pool, sizes.oneShots, say);
    await arena.maintain(env.DATABASE_URL);
    claimer.next();
    startedAt = performance.now();
    const report = await applyRetention(pool, { defaults: DAYS, now: null });
    const oneShotsMs = performance.now() - startedAt;
    say(`one-shots: ${number(oneShotsMs)} ms, ${JSON.stringify(report)}`);
    claimer.next();
    await sleep(10_000);
    const claims = await claimer.end();
    const after = await countAll(pool);
    const left = Object.keys(before).reduce(
      (sum, table) => sum + ((after[table] ?? 0) - (before[table] ?? 0)),
      0,
    );
    return { preparedMs, hiddenMs, droppedMs, pruneMs, oneShotsMs, left, claims };
  } finally {
    await claimer.end();
    await closePool(hasty);
    await closePool(patient);
  }
}

/** Records when the statements that detach and drop tables were sent, and how long each took. */
function watchDdl(pools: readonly Pool[]): { sentAt: number; tookMs: number }[] {
  const seen: { sentAt: number; tookMs: number }[] = [];
  for (const pool of pools) {
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      const watched = (statement: unknown, ...rest: unknown[]) => {
        if (!/^(alter|drop) table/.test(String(statement))) return query(statement, ...rest);
        const step = { sentAt: performance.now(), tookMs: 0 };
        seen.push(step);
        const end = () => {
          step.tookMs = performance.now() - step.sentAt;
        };
        // `pool.query` passes a callback to the client, and a transaction awaits the promise that the client returns.
        const callback = rest.at(-1);
        if (typeof callback !== 'function')
          return (query(statement, ...rest) as Promise<unknown>).finally(end);
        return query(statement, ...rest.slice(0, -1), (...results: unknown[]) => {
          end();
          callback(...results);
        });
      };
      Object.assign(client, { query: watched });
    });
  }
  return seen;
}

async function hasMonth(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query('select from carillon.runs where month = $1 limit 1', [MONTH]);
  return rowCount !== 0;
}

/**
 * Claims due schedules until `end` is called. `pause` stops the claims until `next` is called, which begins a new step.
 * `end` returns the figures of each step.
 */
async function startClaimer(pool: Pool) {
  const holder = await registerClaimant(pool);
  const steps: Claims[] = [{ tookMs: [] }];
  let isCounting = true;
  let isOver = false;
  const loop = async () => {
    while (!isOver) {
      if (!isCounting) {
        await sleep(5);
        continue;
      }
      const startedAt = performance.now();
      const { runs } = await claimDue(pool, {
        ...holder,
        leaseMs: 600_000,
        limit: 10,
        handlers: ['bench'],
        fairTo: [],
        now: null,
      });
      if (runs.length === 0) throw new Error('the claimer found nothing due');
      steps.at(-1)?.tookMs.push(performance.now() - startedAt);
      await sleep(5);
    }
  };
  const done = loop();
  return {
    next() {
      isCounting = true;
      steps.push({ tookMs: [] });
    },
    pause() {
      isCounting = false;
    },
    async end(): Promise<Claims[]> {
      isOver = true;
      await done;
      return steps;
    },
  };
}

/**
 * Counts the rows in each table to which a one-shot adds rows, but not those of the schedules that the claimer claims.
 */
async function countAll(pool: Pool): Promise<Record<string, number>> {
  const own = `not like 'due-%'`;
  const { rows } = await pool.query(
    `select (select count(*) from carillon.schedules where key ${own})::int as schedules,
            (select count(*) from carillon.runs r where month = '${MONTH}')::int as runs,
            (select count(*) from carillon.attempts)::int as attempts,
            (select count(*) from carillon.deferrals)::int as deferrals,
            (select count(*) from carillon.schedule_versions)::int as versions,
            (select count(*) from carillon.audit_log where subject ${own})::int as audit`,
  );
  return rows[0];
}

const SCHEDULES = `
  insert into carillon.schedules (project_id, key, target_type, rule, timing, plan, defined_by, request_hash, created_at, updated_at, defined_at)
  select $1, $2 || n, 'handler', $3::json, $4, $5, 'bench', $2 || n, at, at, at
  from generate_series($6::int, $7::int) as n, (select $8::timestamptz as at) as time
  returning id`;

const insertRuns = (table: string) => `
  insert into carillon.${table} (schedule_id, occurrence_at, origin, month, project_id, version, status, due_at, recorded_at,
    happened_at, epoch, attempt, lateness_ms, claimed_at, finished_at, outcome, duration_ms)
  select s.id, at, 'rule', '${MONTH}', $1, 1, 'succeeded', at, at, at, s.id * 1024, 1, 5, at, at, 'succeeded', 20
  from carillon.schedules s, generate_series($4::int, $5::int) as n,
    lateral (select $6::timestamptz + n * interval '40 minutes' as at) as time
  where s.id between $2 and $3`;

const ROWS_PER_STATEMENT = 500_000;

async function insertSchedules(
  pool: Pool,
  { prefix, from, until, rule }: { prefix: string; from: number; until: number; rule: object },
): Promise<{ first: number; last: number }> {
  const drafted = draft({ id: prefix, rule: rule as { cron: string } }, Date.parse(MONTH));
  const definition = [drafted.rule, drafted.timing, drafted.plan].map((value) => JSON.stringify(value));
  const { rows } = await pool.query(SCHEDULES, [PROJECT_ID, prefix, ...definition, from, until, MONTH]);
  const ids = rows.map(({ id }) => id as number);
  return { first: Math.min(ids[0] ?? 0, ids.at(-1) ?? 0), last: Math.max(ids[0] ?? 0, ids.at(-1) ?? 0) };
}

async function seedRecurring(pool: Pool, { recurring, runsEach }: Sizes, say: (text: string) => void) {
  const rule = { cron: '*/40 * * * *' };
  const { first, last } = await insertSchedules(pool, { prefix: 'every-', from: 1, until: recurring, rule });
  await pool.query(
    `insert into carillon.agenda (schedule_id, project_id, occurrence_at, due_at)
     select id, $1, now() + interval '1 year', now() + interval '1 year' from carillon.schedules where id between $2 and $3`,
    [PROJECT_ID, first, last],
  );
  // The partition is filled before it is attached. Attaching it builds each index in one go, which is several times as
  // fast as adding to the index row by row.
  await pool.query(
    `create table carillon.${TABLE} (like carillon.runs including defaults including constraints) with (fillfactor = 45)`,
  );
  const perStatement = Math.max(1, Math.floor(ROWS_PER_STATEMENT / recurring));
  for (let from = 0; from < runsEach; from += perStatement) {
    const until = Math.min(from + perStatement, runsEach) - 1;
    await pool.query(insertRuns(TABLE), [PROJECT_ID, first, last, from, until, MONTH]);
    say(`${number((until + 1) * recurring)} runs`);
  }
  await pool.query(`alter table carillon.runs attach partition carillon.${TABLE} for values in ('${MONTH}')`);
  await pool.query(
    `create table carillon.${TABLE.replace('runs', 'attempts')} partition of carillon.attempts for values in ('${MONTH}')`,
  );
}

async function seedOneShots(pool: Pool, count: number, say: (text: string) => void) {
  await createMonth(pool, new Date(MONTH));
  for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
    const until = Math.min(from + ROWS_PER_STATEMENT, count) - 1;
    const rule = { at: '2020-02-10T00:00:00Z' };
    const { first, last } = await insertSchedules(pool, { prefix: 'shot-', from, until, rule });
    await pool.query(insertRuns('runs'), [PROJECT_ID, first, last, 0, 0, '2020-02-10T00:00:00Z']);
    await pool.query(
      `insert into carillon.audit_log (project_id, at, actor, action, subject)
       select $1, created_at, 'bench', 'schedule.created', key from carillon.schedules where id between $2 and $3`,
      [PROJECT_ID, first, last],
    );
    say(`${number(until + 1)} one-shots`);
  }
}
