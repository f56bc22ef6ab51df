import type { Pool } from 'pg';
import { openSite, workerCrew } from '../harness/carillon.js';
import { draft, insertSchedules } from '../harness/drafts.js';
import type { Job } from '../harness/tally.js';
import { type Contender, PLAYERS_EACH } from './contender.js';

export const carillon: Contender = carillonWith({});

/** Carillon with settings of its workers that differ from the default. */
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
          // As the API does when it has written a schedule down.
          await bells.arm(jobs.map((job) => job.at));
        },
        async isSettled() {
          const { rowCount } = await pool.query('select from leases limit 1');
          return rowCount === 0;
        },
        findFaults: (jobs) => findFaults(pool, jobs),
        close,
      };
    },
  };
}

/** Each occurrence once, at the first attempt, never early, and its schedule at its end. */
async function findFaults(pool: Pool, jobs: readonly Job[]): Promise<string[]> {
  const { rows } = await pool.query<Record<string, number>>(
    `select (select count(*)::int from runs) as runs,
            (select count(*)::int from runs where status = 'succeeded' and attempt = 1 and finished_at >= claimed_at) as succeeded,
            (select count(*)::int from runs r join every_schedule s on s.id = r.schedule_id
             where r.occurrence_at = r.due_at
               and round(date_part('epoch', r.occurrence_at) * 1000) = (s.payload->>'at')::float8) as at_their_time,
            (select count(*)::int from runs where claimed_at < due_at) as early,
            (select count(*)::int from every_schedule where status = 'finished' and runs_total = 1) as finished`,
  );
  const found = rows[0] ?? {};
  return (['runs', 'succeeded', 'at_their_time', 'finished'] as const)
    .filter((what) => found[what] !== jobs.length)
    .map((what) => `${what}: ${found[what]} of ${jobs.length}`)
    .concat(found.early ? [`${found.early} runs were claimed early`] : []);
}
