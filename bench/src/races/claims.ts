import { claimDue, openDatabase } from '@carillon/db';
import type { Pool } from 'pg';
import { compareRounds } from '../before/comparison.js';
import type { Arena } from '../harness/arena.js';
import { onSite } from '../harness/carillon.js';
import { registerClaimant } from '../harness/claimant.js';
import { closePool, reportConnectionError } from '../harness/connections.js';
import { number, percent } from '../harness/format.js';
import { interleave, type Race, type Rounds } from '../harness/race.js';
import { seedSchedules } from '../harness/seed.js';
import { median, percentile, spread } from '../harness/statistics.js';
import { countClaims, vacuumSchedules } from '../harness/tables.js';

const DUE_SCHEDULES = 1_000;
const CLAIMERS = 50;
/**
 * Two limits for the number of rows in one claim. The first is the limit of an idle worker. The second is so small that
 * the fifty claimers need one claim each to take the thousand rows.
 */
const ASKED = [
  { asked: 'as a worker asks, up to 1,000 a claim', limit: 1_000 },
  { asked: 'shared out, 20 a claim', limit: DUE_SCHEDULES / CLAIMERS },
];
const WARM_UP = 3;
const P99_GOAL_MS = 100;
const RATE_GOAL = 10_000;

interface Sample {
  claimsPerSecond: number;
  p50: number;
  p99: number;
}

/** Measures how fast fifty claimers, which compete for the same thousand due rows, claim all of them. */
export const claims: Race = {
  name: 'claims',
  work: `${number(DUE_SCHEDULES)} schedules are due, and ${CLAIMERS} claimers, each on a connection of its own, claim them at the same time until none is left`,
  rounds: 5,
  canCompare: true,
  async run(context) {
    const waves = context.isQuick ? 2 : 20;
    const builds = [
      { build: 'Carillon this commit', claim: claimInWaves },
      ...(context.before
        ? [{ build: `Carillon before ${context.before.version}`, claim: context.before.claimInWaves }]
        : []),
    ];
    const entrants = ASKED.flatMap(({ asked, limit }) =>
      builds.map(({ build, claim }) => ({ name: `${build}, ${asked}`, asked, claim, limit })),
    );
    const all = await interleave(context, entrants, ({ claim, limit }) =>
      claim(context.arena, { limit, waves }),
    );
    const held = all.filter(({ refused }) => !refused);
    const asWorkers = all[0]?.samples ?? [];
    const [rate, p99] = [medianOf(asWorkers, 'claimsPerSecond'), medianOf(asWorkers, 'p99')];
    return {
      head: ['', 'claimed a second', 'spread', 'p50 ms', 'p99 ms'],
      rows: held.map(({ contender, samples }) => [
        contender.name,
        number(medianOf(samples, 'claimsPerSecond')),
        percent(spread(samples.map((sample) => sample.claimsPerSecond))),
        number(medianOf(samples, 'p50')),
        number(medianOf(samples, 'p99')),
      ]),
      goals: [
        { goal: `p99 < ${P99_GOAL_MS} ms`, figure: `${number(p99)} ms`, isMet: p99 < P99_GOAL_MS },
        { goal: `≥ ${number(RATE_GOAL)} a second`, figure: number(rate), isMet: rate >= RATE_GOAL },
      ],
      notes: ['The goals apply to claims of the size that a worker makes.', ...comparison(all)],
      plots: [],
      refused: all.flatMap(({ refused }) => refused ?? []),
    };
  },
};

const medianOf = (samples: readonly Sample[], figure: keyof Sample) =>
  median(samples.map((sample) => sample[figure]));

function comparison(all: readonly Rounds<{ asked: string }, Sample>[]): string[] {
  return ASKED.flatMap(({ asked }) => {
    const [now, before] = all.filter(({ contender }) => contender.asked === asked);
    return [
      ...compareRounds(`Claimed a second, ${asked}`, {
        now,
        before,
        figureOf: (sample) => sample.claimsPerSecond,
      }),
      ...compareRounds(`p99 of a claim, ${asked}`, { now, before, figureOf: (sample) => sample.p99 }),
    ];
  });
}

interface Waves {
  /** Maximum number of rows in one claim. */
  limit: number;
  waves: number;
}

/** Runs one round: several waves of due rows, which fifty claimers claim, on a fresh database. */
export function claimInWaves(arena: Arena, options: Waves): Promise<Sample> {
  return onSite(arena, async ({ pool, env }) => {
    const claimers = openDatabase({
      url: env.DATABASE_URL,
      max: CLAIMERS,
      applicationName: 'carillon-bench-claimers',
      onError: reportConnectionError,
    });
    try {
      return await race(pool, claimers, options);
    } finally {
      await closePool(claimers);
    }
  });
}

async function race(pool: Pool, claimers: Pool, { limit, waves }: Waves): Promise<Sample> {
  const holder = await registerClaimant(pool);
  const tookMs: number[] = [];
  const rates: number[] = [];
  // The first waves are a warm-up and are not counted. They open the connections, and let Postgres collect statistics
  // and plan its statements. A worker that has run for a while claims under the same conditions.
  for (let wave = 0; wave < WARM_UP + waves; wave++) {
    const nowAt = Date.now();
    await seedSchedules(pool, {
      prefix: `wave-${wave}-`,
      count: DUE_SCHEDULES,
      fromAt: nowAt - 1_000,
      untilAt: nowAt,
    });
    const isCounted = wave >= WARM_UP;
    if (!isCounted) await vacuumSchedules(pool);
    const claimed = new Set<number>();
    let double = 0;
    const startedAt = performance.now();
    const claim = async () => {
      for (let left = true; left; ) {
        const askedAt = performance.now();
        const { runs } = await claimDue(claimers, {
          ...holder,
          leaseMs: 15_000,
          limit,
          fairTo: [],
          handlers: ['bench'],
          now: null,
        });
        if (isCounted) tookMs.push(performance.now() - askedAt);
        for (const { scheduleId } of runs) double += claimed.has(scheduleId) ? 1 : 0;
        for (const { scheduleId } of runs) claimed.add(scheduleId);
        left = runs.length > 0 && claimed.size < DUE_SCHEDULES;
      }
    };
    await Promise.all(Array.from({ length: CLAIMERS }, claim));
    const seconds = (performance.now() - startedAt) / 1_000;
    if (isCounted) rates.push(DUE_SCHEDULES / seconds);
    await check(pool, { claimed: claimed.size, double, wave });
  }
  return { claimsPerSecond: median(rates), p50: percentile(tookMs, 0.5), p99: percentile(tookMs, 0.99) };
}

async function check(
  pool: Pool,
  { claimed, double, wave }: { claimed: number; double: number; wave: number },
): Promise<void> {
  const { runs, due } = await countClaims(pool);
  if (claimed !== DUE_SCHEDULES || double > 0 || runs !== DUE_SCHEDULES * (wave + 1) || due !== 0)
    throw new Error(`it did not hold: ${claimed} claimed, ${double} twice, ${runs} runs, ${due} still due`);
}
