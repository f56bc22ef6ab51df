import type { Draft } from '@carillon/db';
import { nextOccurrence } from '@carillon/shared';
import { carillon } from '../contenders/carillon.js';
import type { Contender } from '../contenders/contender.js';
import { openSite, type Site, workerCrew } from '../harness/carillon.js';
import { draft, insertSchedules } from '../harness/drafts.js';
import { number, percent } from '../harness/format.js';
import { runOneShots } from '../harness/one-shots.js';
import { interleave, type Race } from '../harness/race.js';
import { median, spread } from '../harness/statistics.js';
import type { Job } from '../harness/tally.js';
import { rulesDueAt } from './recurring-rules.js';

const GOAL = 20_000;

/** A herd that comes back: each fire has to work out the next. */
export const recurringHerd: Race = {
  name: 'recurring-herd',
  work: '50,000 schedules with 200 distinct cron and RRULE rules in 20 zones, all due in one instant, to the last one done, its next occurrence worked out and armed',
  rounds: 5,
  async run(context) {
    const count = context.isQuick ? 2_000 : 50_000;
    const [rounds] = await interleave(context, [recurringCarillon], async (contender) => {
      const { tookMs } = await runOneShots(context.arena, contender, {
        // Rules name whole seconds.
        jobsFrom: (startAt) => {
          const at = Math.ceil(startAt / 1_000) * 1_000;
          return Array.from({ length: count }, (_, n) => ({ n, at }));
        },
        withinMs: 60_000,
      });
      return count / (tookMs / 1_000);
    });
    const rates = rounds?.samples ?? [];
    const rate = median(rates);
    return {
      head: ['', 'fires a second', 'spread'],
      rows: rounds?.refused ? [] : [['Carillon this commit', number(rate), percent(spread(rates))]],
      goals: [{ goal: `≥ ${number(GOAL)} a second`, figure: number(rate), isMet: rate >= GOAL }],
      notes: [],
      plots: [],
      refused: rounds?.refused ? [rounds.refused] : [],
    };
  },
};

const recurringCarillon: Contender = {
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
      async isSettled() {
        const { rowCount } = await site.pool.query('select from leases limit 1');
        return rowCount === 0;
      },
      findFaults: (jobs) => findFaults(site, jobs, drafts),
      close: site.close,
    };
  },
};

/** Each occurrence once, each schedule at the next one that its rule names, and a bell where that is near. */
async function findFaults(
  { pool, bells }: Site,
  jobs: readonly Job[],
  drafts: readonly Draft[],
): Promise<string[]> {
  const at = jobs[0]?.at ?? 0;
  const nextAts = drafts.map(({ timing }) => nextOccurrence(timing, at));
  const { rows } = await pool.query<{ runs: number; moved: number }>(
    `select (select count(*)::int from runs
             where occurrence_at = to_timestamp($1::float8 / 1000) and status = 'succeeded' and attempt = 1) as runs,
            (select count(*)::int from schedules s, unnest($2::float8[]) with ordinality as rule(next_at, number)
             where substr(s.key, 5)::int % cardinality($2::float8[]) = rule.number - 1 and s.runs_total = 1
               and s.next_run_at = to_timestamp(rule.next_at / 1000)) as moved`,
    [at, nextAts],
  );
  const nearAts = nextAts.filter((nextAt) => nextAt !== null && nextAt - at <= 60_000) as number[];
  const armed = await bells.readArmed(at, 120_000);
  return [
    ...(rows[0]?.runs === jobs.length ? [] : [`${rows[0]?.runs} of ${jobs.length} runs succeeded`]),
    ...(rows[0]?.moved === jobs.length ? [] : [`${rows[0]?.moved} of ${jobs.length} schedules moved on`]),
    ...(nearAts.every((nearAt) => armed.has(nearAt)) ? [] : ['the next bell is not armed']),
  ];
}
