import { openSite, workerCrew } from '../harness/carillon.js';
import { draft, insertSchedules } from '../harness/drafts.js';
import { latenessFaults } from '../harness/one-shots.js';
import { areAllRunsClosed, findOneShotFaults, readLateness } from '../harness/tables.js';
import { type Contender, PLAYERS_EACH } from './contender.js';

export const carillon: Contender = carillonWith({});

/** Carillon with the given worker settings instead of the defaults. */
export function carillonWith(env: Record<string, string>): Contender {
  return {
    name: 'Carillon',
    version: 'this commit',
    settings: `${PLAYERS_EACH} worker processes with their default settings; a run and its attempt kept for each`,
    keepsHistory: true,
    seedMs: (jobs) => jobs * 0.15,
    share: 1,
    async open(servers) {
      const { pool, bells, close } = await openSite(servers);
      return {
        crew: workerCrew(env),
        async seed(jobs) {
          const nowAt = Date.now();
          await insertSchedules(pool, jobs, (job) =>
            draft({ id: `job-${job.n}`, rule: { at: new Date(job.at).toISOString() }, payload: job }, nowAt),
          );
          // As the API does after it has stored a schedule, add a delayed job to Redis (a bell) that wakes a worker at
          // the due time.
          await bells.arm(jobs.map((job) => job.at));
        },
        areJobsDone: () => areAllRunsClosed(pool),
        findFaults: async (jobs, latenessMs) => [
          ...(await findOneShotFaults(pool, jobs)),
          ...latenessFaults(await readLateness(pool), latenessMs),
        ],
        close,
      };
    },
  };
}
