import { readSlots } from '@carillon/db';
import { SLOT_MS } from '@carillon/queue';
import { HOUR_MS } from '@carillon/shared';
import type { Arena } from '../harness/arena.js';
import { HORIZON_MS, onSite, type Site, workerCrew } from '../harness/carillon.js';
import { Crew } from '../harness/crew.js';
import { number, percent } from '../harness/format.js';
import { faultsIn } from '../harness/one-shots.js';
import { interleave, type Race } from '../harness/race.js';
import { seedSchedules } from '../harness/seed.js';
import { median, percentile, spread } from '../harness/statistics.js';
import { areAllRunsClosed, findRunFaults } from '../harness/tables.js';
import { sleep, waitUntil } from '../harness/wait.js';

const SWEEP_MS = 5_000;
const GOAL_MS = SWEEP_MS + 2_000;

interface Size {
  all: number;
  near: number;
  /** The `near` schedules are due from `fromMs` to `untilMs` after they are stored; all others much later. */
  fromMs: number;
  untilMs: number;
}

const FULL: Size = { all: 1_000_000, near: 100_000, fromMs: 15_000, untilMs: HORIZON_MS };
const QUICK: Size = { all: 10_000, near: 2_000, fromMs: 3_000, untilMs: 8_000 };

/**
 * Measures how long it takes, after Redis has lost everything, until it again holds a delayed job (a bell) for all that
 * is due soon.
 */
export const recover: Race = {
  name: 'recover',
  work: 'Redis is emptied by FLUSHALL, with 1 million schedules, 100,000 of them due within the horizon. The race measures the time until Redis again holds a bell for every slot in which something is due',
  rounds: 3,
  async run(context) {
    const size = context.isQuick ? QUICK : FULL;
    const [rounds] = await interleave(context, [{ name: 'Carillon' }], () => loseRedis(context.arena, size));
    const samples = rounds?.samples ?? [];
    const backMs = samples.map((sample) => sample.backMs);
    return {
      head: ['', 'all bells back after ms', 'spread', 'bells', 'latest run ms late'],
      rows: rounds?.refused
        ? []
        : [
            [
              'Carillon this commit',
              number(median(backMs)),
              percent(spread(backMs)),
              number(median(samples.map((sample) => sample.bells))),
              number(median(samples.map((sample) => sample.latestMs))),
            ],
          ],
      goals: [
        {
          goal: `≤ one sweep + 2 s (${number(GOAL_MS)} ms)`,
          figure: `${number(median(backMs))} ms`,
          isMet: median(backMs) <= GOAL_MS,
        },
      ],
      notes: [],
      plots: [],
      refused: rounds?.refused ? [rounds.refused] : [],
    };
  },
};

function loseRedis(arena: Arena, { all, near, fromMs, untilMs }: Size) {
  return onSite(arena, async (site) => {
    const far = { fromAt: Date.now() + HOUR_MS, untilAt: Date.now() + 24 * 30 * HOUR_MS };
    await seedSchedules(site.pool, { prefix: 'far-', count: all - near, ...far });
    await arena.maintain(site.env.DATABASE_URL);
    const crew = await Crew.start(workerCrew({ ...site.env, BENCH_JOBS: String(near) }));
    try {
      const nowAt = Date.now();
      const due = { fromAt: nowAt + fromMs, untilAt: nowAt + untilMs };
      await seedSchedules(site.pool, { prefix: 'near-', count: near, ...due });
      const { ringAts } = await readSlots(site.pool, { horizonMs: HORIZON_MS, slotMs: SLOT_MS, now: null });
      await site.bells.arm(ringAts);
      // The next sweep adds the missing bells. Sweeps run every 5 s, and the measured time includes the wait for the
      // sweep. So Redis is flushed at a random moment between two sweeps.
      await sleep(Math.random() * Math.max(0, due.fromAt - Date.now() - 2_000));
      await site.redis.flushall();
      const flushedAt = performance.now();
      await waitUntil(() => areAllArmed(site), { everyMs: 100, withinMs: 60_000, what: 'all bells back' });
      const backMs = performance.now() - flushedAt;
      const latestMs = await checkAll(site, crew, near, untilMs + 60_000);
      return { backMs, bells: ringAts.length, latestMs };
    } finally {
      await crew.end();
    }
  });
}

/** Bells that ring within this time are not checked, because they may have rung and left Redis already. */
const TOO_NEAR_MS = 250;

async function areAllArmed({ pool, bells }: Site): Promise<boolean> {
  const { ringAts, nowAt } = await readSlots(pool, { horizonMs: HORIZON_MS, slotMs: SLOT_MS, now: null });
  const armed = await bells.readArmed(nowAt, HORIZON_MS);
  return ringAts.every((ringAt) => ringAt - nowAt < TOO_NEAR_MS || armed.has(ringAt));
}

/** Checks that each occurrence still ran once; returns the largest lateness. */
async function checkAll({ pool }: Site, crew: Crew, near: number, withinMs: number): Promise<number> {
  await waitUntil(() => crew.handled >= near, { everyMs: 50, withinMs, what: `${near} runs` });
  await waitUntil(() => areAllRunsClosed(pool), { everyMs: 50, withinMs, what: 'all runs closed' });
  const report = await crew.report();
  const due = Array.from({ length: near }, (_, n) => ({ n, at: 0 }));
  const faults = [...faultsIn(report, due), ...(await findRunFaults(pool, near))];
  if (faults.length > 0) throw new Error(`it did not hold: ${faults.join('; ')}`);
  return percentile(report.latenessMs, 1);
}
