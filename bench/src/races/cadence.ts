import { carillon } from '../contenders/carillon.js';
import type { Contender } from '../contenders/contender.js';
import { openSite, workerCrew } from '../harness/carillon.js';
import { draft, insertSchedules } from '../harness/drafts.js';
import { number, percent } from '../harness/format.js';
import { runOneShots } from '../harness/one-shots.js';
import { interleave, type Race } from '../harness/race.js';
import { median, percentile, spread } from '../harness/statistics.js';
import { areAllRunsClosed, findCadenceFaults } from '../harness/tables.js';
import type { Job } from '../harness/tally.js';

const SCHEDULES = 20;
const WORKERS = 3;
const P99_GOAL_MS = 50;

/** Measures schedules that fire every second. Each occurrence must run once and on time. */
export const cadence: Race = {
  name: 'cadence',
  work: `${SCHEDULES} schedules fire every second for a minute, on ${WORKERS} workers. The race measures how late their handlers began`,
  rounds: 3,
  async run(context) {
    const seconds = context.isQuick ? 3 : 60;
    const [rounds] = await interleave(context, [everySecond], (contender) =>
      runOneShots(context.arena, contender, {
        jobsFrom: (startAt) => occurrences(Math.ceil(startAt / 1_000) * 1_000, seconds),
        withinMs: (seconds + 60) * 1_000,
      }),
    );
    const samples = rounds?.samples ?? [];
    const late = (share: number) => samples.map(({ latenessMs }) => percentile(latenessMs, share));
    const p99 = median(late(0.99));
    return {
      head: ['', 'p50 ms', 'p99 ms', 'latest ms', 'spread of p99'],
      rows: [
        [
          'Carillon this commit',
          number(median(late(0.5))),
          number(p99),
          number(median(late(1))),
          percent(spread(late(0.99))),
        ],
      ].slice(rounds?.refused ? 1 : 0),
      goals: [{ goal: `p99 < ${P99_GOAL_MS} ms`, figure: `${number(p99)} ms`, isMet: p99 < P99_GOAL_MS }],
      notes: [],
      plots: [],
      refused: rounds?.refused ? [rounds.refused] : [],
    };
  },
};

/**
 * One job for each occurrence of each schedule. The handler computes the same number `n` from the occurrence that it
 * runs.
 */
const occurrences = (fromAt: number, seconds: number): Job[] =>
  Array.from({ length: SCHEDULES * seconds }, (_, n) => ({
    n,
    at: fromAt + Math.floor(n / SCHEDULES) * 1_000,
  }));

const everySecond: Contender = {
  ...carillon,
  async open(servers) {
    const { pool, close } = await openSite(servers);
    return {
      crew: { ...workerCrew({}), processes: WORKERS },
      async seed(jobs) {
        const fromAt = jobs[0]?.at ?? 0;
        const nowAt = Date.now();
        await insertSchedules(
          pool,
          Array.from({ length: SCHEDULES }, (_, n) => n),
          (n) =>
            draft(
              {
                id: `every-second-${n}`,
                rule: { cron: '* * * * * *' },
                startAt: new Date(fromAt).toISOString(),
                maxRuns: jobs.length / SCHEDULES,
                target: { type: 'handler', name: 'bench-every-second' },
                payload: { n, fromAt, schedules: SCHEDULES },
              },
              nowAt,
            ),
        );
      },
      areJobsDone: () => areAllRunsClosed(pool),
      findFaults: (jobs) => findCadenceFaults(pool, jobs, SCHEDULES),
      close,
    };
  },
};
