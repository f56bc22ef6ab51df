import { carillon } from '../contenders/carillon.js';
import type { Contender } from '../contenders/contender.js';
import { openSite, workerCrew } from '../harness/carillon.js';
import { draft, insertSchedules } from '../harness/drafts.js';
import { runOneShots } from '../harness/one-shots.js';
import { interleave, type Race } from '../harness/race.js';
import { rateRow } from '../harness/rate-row.js';
import { areAllRunsClosed, findOneShotFaults } from '../harness/tables.js';

/**
 * Measures schedules that are all due at one instant, and whose overlap policy depends on their open runs. A claim must
 * count the open runs of each such schedule, and closing a run must check whether a queued run can start. Carillon has
 * to do both for many schedules at a time.
 */
export const overlap: Race = {
  name: 'overlap',
  work: '20,000 schedules, half with the overlap policy skip and half with queue, are due at one instant. The race measures the time until the last run is done and its queue was checked',
  rounds: 5,
  async run(context) {
    const count = context.isQuick ? 1_000 : 20_000;
    const all = await interleave(context, [countedCarillon], async (contender) => {
      const { tookMs } = await runOneShots(context.arena, contender, {
        jobsFrom: (startAt) => Array.from({ length: count }, (_, n) => ({ n, at: startAt })),
        withinMs: 120_000,
      });
      return count / (tookMs / 1_000);
    });
    return {
      head: ['', 'runs a second', 'spread'],
      rows: all.filter(({ refused }) => !refused).map(rateRow),
      goals: [],
      notes: [],
      plots: [],
      refused: all.flatMap(({ refused }) => refused ?? []),
    };
  },
};

const POLICIES = ['skip', 'queue'] as const;

const countedCarillon: Contender = {
  ...carillon,
  async open(servers) {
    const { pool, bells, close } = await openSite(servers);
    return {
      crew: workerCrew({}),
      async seed(jobs) {
        const nowAt = Date.now();
        await insertSchedules(pool, jobs, (job) => {
          const rule = { at: new Date(job.at).toISOString() };
          const policy = POLICIES[job.n % POLICIES.length];
          return draft({ id: `job-${job.n}`, rule, overlap: policy, payload: job }, nowAt);
        });
        await bells.arm(jobs.slice(0, 1).map(({ at }) => at));
      },
      areJobsDone: () => areAllRunsClosed(pool),
      findFaults: (jobs) => findOneShotFaults(pool, jobs),
      close,
    };
  },
};
