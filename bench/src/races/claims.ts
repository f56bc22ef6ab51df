import { claimDue, openDatabase, registerWorker } from '@carillon/db';
import type { Pool } from 'pg';
import { onSite } from '../harness/carillon.js';
import { number, percent } from '../harness/format.js';
import { interleave, type Race } from '../harness/race.js';
import { seedSchedules } from '../harness/seed.js';
import { median, percentile, spread } from '../harness/statistics.js';

const DUE = 1_000;
const CLAIMERS = 50;
/** As a worker asks that has all its places free; and so few that it takes all fifty to claim what is due. */
const ASKED = [
  { name: 'as a worker asks, up to 1,000 a claim', limit: 1_000 },
  { name: 'shared out, 20 a claim', limit: DUE / CLAIMERS },
];
const WARM_UP = 3;
const P99_GOAL_MS = 100;
const RATE_GOAL = 10_000;

interface Sample {
  claimsPerSecond: number;
  p50: number;
  p99: number;
}

/** Fifty want the same thousand rows. */
export const claims: Race = {
  name: 'claims',
  work: `${number(DUE)} due, ${CLAIMERS} claimers at once, each on a connection of its own, until nothing is left`,
  rounds: 5,
  async run(context) {
    const waves = context.isQuick ? 2 : 20;
    const all = await interleave(context, ASKED, ({ limit }) =>
      onSite(context.arena, async ({ pool, env }) => {
        const claimers = openDatabase({
          url: env.DATABASE_URL,
          max: CLAIMERS,
          applicationName: 'carillon-bench-claimers',
          byIndex: true,
          onError: (error) => console.error(error),
        });
        try {
          return await race(pool, claimers, { limit, waves });
        } finally {
          await claimers.end();
        }
      }),
    );
    const held = all.filter(({ refused }) => !refused);
    const asWorkers = held.find(({ contender }) => contender === ASKED[0])?.samples ?? [];
    const [rate, p99] = [medianOf(asWorkers, 'claimsPerSecond'), medianOf(asWorkers, 'p99')];
    return {
      head: ['', 'claimed a second', 'spread', 'p50 ms', 'p99 ms'],
      rows: held.map(({ contender, samples }) => [
        `Carillon this commit, ${contender.name}`,
        number(medianOf(samples, 'claimsPerSecond')),
        percent(spread(samples.map((sample) => sample.claimsPerSecond))),
        number(medianOf(samples, 'p50')),
        number(medianOf(samples, 'p99')),
      ]),
      goals: [
        { goal: `p99 < ${P99_GOAL_MS} ms`, figure: `${number(p99)} ms`, isMet: p99 < P99_GOAL_MS },
        { goal: `≥ ${number(RATE_GOAL)} a second`, figure: number(rate), isMet: rate >= RATE_GOAL },
      ],
      notes: ['The goals are for claims as a worker makes them.'],
      plots: [],
      refused: all.flatMap(({ refused }) => refused ?? []),
    };
  },
};

const medianOf = (samples: readonly Sample[], figure: keyof Sample) =>
  median(samples.map((sample) => sample[figure]));

async function race(
  pool: Pool,
  claimers: Pool,
  { limit, waves }: { limit: number; waves: number },
): Promise<Sample> {
  const workerId = await registerWorker(pool, { host: 'bench', pid: process.pid });
  const tookMs: number[] = [];
  const rates: number[] = [];
  // The first waves make the connections, statistics and plans that every long-lived worker has, and are not counted.
  for (let wave = 0; wave < WARM_UP + waves; wave++) {
    const nowAt = Date.now();
    await seedSchedules(pool, { prefix: `wave-${wave}-`, count: DUE, fromAt: nowAt - 1_000, untilAt: nowAt });
    const isCounted = wave >= WARM_UP;
    if (!isCounted) await pool.query('vacuum analyze schedules, schedule_versions');
    const claimed = new Set<number>();
    let double = 0;
    const startedAt = performance.now();
    const claim = async () => {
      for (let left = true; left; ) {
        const askedAt = performance.now();
        const { runs } = await claimDue(claimers, {
          workerId,
          leaseMs: 15_000,
          limit,
          fairTo: [],
          now: null,
        });
        if (isCounted) tookMs.push(performance.now() - askedAt);
        for (const { scheduleId } of runs) double += claimed.has(scheduleId) ? 1 : 0;
        for (const { scheduleId } of runs) claimed.add(scheduleId);
        left = runs.length > 0 && claimed.size < DUE;
      }
    };
    await Promise.all(Array.from({ length: CLAIMERS }, claim));
    const seconds = (performance.now() - startedAt) / 1_000;
    if (isCounted) rates.push(DUE / seconds);
    await check(pool, { claimed: claimed.size, double, wave });
  }
  return { claimsPerSecond: median(rates), p50: percentile(tookMs, 0.5), p99: percentile(tookMs, 0.99) };
}

async function check(
  pool: Pool,
  { claimed, double, wave }: { claimed: number; double: number; wave: number },
): Promise<void> {
  const { rows } = await pool.query<{ runs: number; due: number }>(
    `select (select count(*)::int from every_run where status = 'running' and attempt = 1) as runs,
            (select count(*)::int from schedules where next_run_at <= clock_timestamp()) as due`,
  );
  const { runs, due } = rows[0] ?? {};
  if (claimed !== DUE || double > 0 || runs !== DUE * (wave + 1) || due !== 0)
    throw new Error(`it did not hold: ${claimed} claimed, ${double} twice, ${runs} runs, ${due} still due`);
}
