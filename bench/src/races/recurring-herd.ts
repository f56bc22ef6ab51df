import type { Draft } from '@carillon/db';
import { nextOccurrence } from '@carillon/shared';
import { compareRounds } from '../before/comparison.js';
import { carillon } from '../contenders/carillon.js';
import type { Contender } from '../contenders/contender.js';
import { openSite, type Site, workerCrew } from '../harness/carillon.js';
import { draft, insertSchedules } from '../harness/drafts.js';
import { number } from '../harness/format.js';
import { runOneShots } from '../harness/one-shots.js';
import { interleave, type Race } from '../harness/race.js';
import { rateRow } from '../harness/rate-row.js';
import { median } from '../harness/statistics.js';
import { areAllRunsClosed, findRecurringFaults } from '../harness/tables.js';
import type { Job } from '../harness/tally.js';
import { rulesDueAt } from './recurring-rules.js';

const RATE_GOAL = 20_000;

/**
 * Measures 50,000 recurring schedules that are due at one instant. Each of their fires computes the next occurrence.
 */
export const recurringHerd: Race = {
  name: 'recurring-herd',
  work: '50,000 schedules with 200 distinct cron and RRULE rules in 20 zones are due at one instant. The race measures the time until the last run is done, with every next occurrence computed and armed',
  rounds: 5,
  canCompare: true,
  async run(context) {
    const count = context.isQuick ? 2_000 : 50_000;
    const builds = [recurringCarillon, ...(context.before ? [context.before.recurringCarillon] : [])];
    const all = await interleave(context, builds, async (contender) => {
      const { tookMs } = await runOneShots(context.arena, contender, {
        // The occurrences of cron and RRULE rules are at whole seconds.
        jobsFrom: (startAt) => {
          const at = Math.ceil(startAt / 1_000) * 1_000;
          return Array.from({ length: count }, (_, n) => ({ n, at }));
        },
        withinMs: 60_000,
      });
      return count / (tookMs / 1_000);
    });
    const [now, before] = all;
    const rate = median(now?.samples ?? []);
    return {
      head: ['', 'fires a second', 'spread'],
      rows: all.filter(({ refused }) => !refused).map(rateRow),
      goals: [{ goal: `≥ ${number(RATE_GOAL)} a second`, figure: number(rate), isMet: rate >= RATE_GOAL }],
      notes: compareRounds('Fires a second', { now, before, figureOf: (rate) => rate }),
      plots: [],
      refused: all.flatMap(({ refused }) => refused ?? []),
    };
  },
};

export const recurringCarillon: Contender = {
  ...carillon,
  async open(servers) {
    const site = await openSite(servers);
    let drafts: Draft[] = [];
    return {
      crew: workerCrew({}),
      async seed(jobs) {
        const nowAt = Date.now();
        const rules = rulesDueAt(jobs[0]?.at ?? 0);
        drafts = rules.map((timed, i) => draft({ id: `rule-${i}`, ...timed }, nowAt));
        if (drafts.some(({ first }) => first.occurrenceAt !== jobs[0]?.at))
          throw new Error('a rule is due before its time');
        await insertSchedules(site.pool, jobs, (job) => {
          const rule = drafts[job.n % drafts.length] as Draft;
          const key = `job-${job.n}`;
          return { ...rule, key, payload: JSON.stringify(job), requestHash: key };
        });
        await site.bells.arm(jobs.slice(0, 1).map(({ at }) => at));
      },
      areJobsDone: () => areAllRunsClosed(site.pool),
      findFaults: (jobs) => findFaults(site, jobs, drafts),
      close: site.close,
    };
  },
};

/**
 * Checks that each occurrence ran once and that each schedule moved on to its next occurrence. If that is less than a
 * minute away, Redis must hold a delayed job (a bell) that wakes a worker for it.
 */
async function findFaults(
  { pool, bells }: Site,
  jobs: readonly Job[],
  drafts: readonly Draft[],
): Promise<string[]> {
  const at = jobs[0]?.at ?? 0;
  const nextAts = drafts.map(({ timing }) => nextOccurrence(timing, at));
  const faults = await findRecurringFaults(pool, jobs, nextAts);
  const nearAts = nextAts.filter((nextAt) => nextAt !== null && nextAt - at <= 60_000) as number[];
  const armed = await bells.readArmed(at, 120_000);
  return nearAts.every((nearAt) => armed.has(nearAt)) ? faults : [...faults, 'the next bell is not armed'];
}
