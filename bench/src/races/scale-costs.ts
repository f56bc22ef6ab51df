import { claimDue, listSchedules, openDatabase, readMissed, readSlots, rescueRuns } from '@carillon/db';
import { SLOT_MS } from '@carillon/queue';
import { DAY_MS, HOUR_MS } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Arena } from '../harness/arena.js';
import { HORIZON_MS, onSite, type Site, workerCrew } from '../harness/carillon.js';
import { registerClaimant } from '../harness/claimant.js';
import { closePool, reportConnectionError } from '../harness/connections.js';
import { Crew } from '../harness/crew.js';
import { draft, insertSchedules, PROJECT_ID } from '../harness/drafts.js';
import { seedSchedules } from '../harness/seed.js';
import { median } from '../harness/statistics.js';
import { analyzeSchedules, countRuns, removeWork } from '../harness/tables.js';
import { sleep } from '../harness/wait.js';

/** The median cost of each kind of work. */
export interface Costs {
  createdPerSecond: number;
  claimMs: number;
  sweepMs: number;
  listMs: number;
  redisMb: number;
  idlePerSecond: number;
}
const NEAR_SCHEDULES = 5_000;
const RUNS_PER_CLAIM = 500;
const MEASUREMENTS = 12;

/**
 * Creates a database with this many schedules, all due within the month that begins tomorrow, and keeps it under this
 * name for the rounds.
 */
export async function seedFar(arena: Arena, { name, size }: { name: string; size: number }): Promise<void> {
  await onSite(arena, async ({ pool, env }) => {
    const madeAt = Date.now();
    const month = { fromAt: madeAt + DAY_MS, untilAt: madeAt + 31 * DAY_MS };
    await seedSchedules(pool, { prefix: 'far-', count: size, ...month });
    await arena.maintain(env.DATABASE_URL);
  });
  await arena.keep(name);
}

export function measureCosts(
  arena: Arena,
  { name, isQuick }: { name: string; isQuick: boolean },
): Promise<Costs> {
  const round = async (site: Site) => {
    const nowAt = Date.now();
    const near = { fromAt: nowAt + HORIZON_MS / 3, untilAt: nowAt + HORIZON_MS };
    await seedSchedules(site.pool, { prefix: 'near-', count: NEAR_SCHEDULES, ...near });
    await analyzeSchedules(site.pool);
    // A worker opens its connections with these settings, so the statements of the engine run on this pool.
    const engine = openDatabase({
      url: site.env.DATABASE_URL,
      max: 2,
      applicationName: 'carillon-bench-engine',
      onError: reportConnectionError,
    });
    try {
      return {
        listMs: await timeOf(async () => {
          await listSchedules(site.pool, { projectId: PROJECT_ID, filter: {}, limit: 50, beforeId: null });
        }),
        // The sweep gets the time at which the near schedules were seeded. So it sees the same number of them for each
        // size, however long the measurement takes.
        sweepMs: await timeOf(() => sweep(site, engine, nowAt)),
        redisMb: await armedMemory(site, engine, nowAt),
        createdPerSecond: await create(site.pool, nowAt),
        claimMs: await claim(site.pool, engine),
        idlePerSecond: await idle(arena, site, isQuick ? 1_000 : 10_000),
      };
    } finally {
      await closePool(engine);
    }
  };
  return onSite(arena, round, name);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  // The first call is not measured: Postgres plans its statements and fills its caches.
  await work();
  const tookMs: number[] = [];
  for (let i = 0; i < MEASUREMENTS; i++) {
    const startedAt = performance.now();
    await work();
    tookMs.push(performance.now() - startedAt);
  }
  return median(tookMs);
}

/** Does the work of a sweep, the worker's periodic check for overdue or missing work, if there is nothing to repair. */
async function sweep({ bells }: Site, engine: Pool, now: number): Promise<void> {
  await rescueRuns(engine, now);
  await readMissed(engine, { olderThanMs: 5_000, now });
  await readSlots(engine, { horizonMs: HORIZON_MS, slotMs: SLOT_MS, now });
  await bells.readArmed(now, HORIZON_MS);
}

async function armedMemory({ bells, redis }: Site, engine: Pool, now: number): Promise<number> {
  const { ringAts } = await readSlots(engine, { horizonMs: HORIZON_MS, slotMs: SLOT_MS, now });
  await bells.arm(ringAts);
  const info = await redis.info('memory');
  return Number(/used_memory:(\d+)/.exec(info)?.[1]) / 1_048_576;
}

async function create(pool: Pool, nowAt: number): Promise<number> {
  const count = 5_000;
  const rule = { at: new Date(nowAt + HOUR_MS).toISOString() };
  const startedAt = performance.now();
  await insertSchedules(pool, Array.from({ length: count }), (_) =>
    draft({ id: `new-${number++}`, rule }, nowAt),
  );
  return count / ((performance.now() - startedAt) / 1_000);
}

let number = 0;

async function claim(pool: Pool, engine: Pool): Promise<number> {
  const holder = await registerClaimant(pool);
  const dueAt = Date.now();
  const due = RUNS_PER_CLAIM * (MEASUREMENTS + 1);
  await seedSchedules(pool, { prefix: 'due-', count: due, fromAt: dueAt - 1_000, untilAt: dueAt });
  const tookMs = await timeOf(async () => {
    const options = {
      ...holder,
      leaseMs: 60_000,
      limit: RUNS_PER_CLAIM,
      fairTo: [],
      handlers: ['bench'],
      now: dueAt,
    };
    const { runs } = await claimDue(engine, options);
    if (runs.length !== RUNS_PER_CLAIM) throw new Error(`claimed ${runs.length} of ${RUNS_PER_CLAIM}`);
  });
  const runs = await countRuns(pool);
  if (runs !== due) throw new Error(`${runs} runs of ${due}`);
  return tookMs;
}

/** Returns how many transactions a second two idle workers make in Postgres. */
async function idle(arena: Arena, site: Site, forMs: number): Promise<number> {
  await removeWork(site.pool, 'near-');
  // The schedules that were due soon are deleted, but Redis still has their delayed jobs (bells), which would wake the
  // workers.
  await site.redis.flushall();
  await arena.maintain(site.env.DATABASE_URL);
  const crew = await Crew.start(workerCrew(site.env));
  try {
    await sleep(1_000);
    const before = await transactions(site.pool);
    await sleep(forMs);
    return (await transactions(site.pool)) / (forMs / 1_000) - before / (forMs / 1_000);
  } finally {
    await crew.end();
  }
}

async function transactions(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`,
  );
  return rows[0]?.count ?? 0;
}
