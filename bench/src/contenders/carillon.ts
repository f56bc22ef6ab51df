import { fileURLToPath } from 'node:url';
import { migrate, openDatabase, readClock } from '@carillon/db';
import { Bells, connectProducer, PostgresClock } from '@carillon/queue';
import type { Pool } from 'pg';
import { draft, insertSchedules } from '../harness/drafts.js';
import type { Job } from '../harness/tally.js';
import { type Contender, PLAYERS_EACH } from './contender.js';

const WORKER = fileURLToPath(new URL('../../../apps/worker/dist/main.js', import.meta.url));
const HANDLERS = new URL('../players/carillon-handlers.js', import.meta.url).href;

/** Two of Carillon's own worker processes, as they come, with the bench's handler loaded. */
export const carillonCrew = (env: Record<string, string> = {}) => ({
  main: WORKER,
  processes: PLAYERS_EACH,
  env: { CARILLON_HANDLERS: HANDLERS, LOG_LEVEL: 'info', ...env },
  readyWhenPrinted: 'Worker ready',
});

export const carillon: Contender = {
  name: 'Carillon',
  version: 'this commit',
  settings: `${PLAYERS_EACH} worker processes with their default settings; a run and its attempt kept for each`,
  keepsHistory: true,
  seedMs: (jobs) => jobs * 0.15,
  share: 1,
  open: (servers) => openCarillon(servers, {}),
};

/** Carillon with settings of its workers that differ from the default. */
export async function openCarillon(
  { databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string },
  env: Record<string, string>,
) {
  await migrate(databaseUrl);
  const { pool, bells, close } = await connect({ databaseUrl, redisUrl });
  return {
    crew: carillonCrew(env),
    async seed(jobs: readonly Job[]) {
      const nowAt = Date.now();
      const toDraft = (job: Job) =>
        draft({ id: `job-${job.n}`, rule: { at: new Date(job.at).toISOString() }, payload: job }, nowAt);
      await insertSchedules(pool, jobs, toDraft);
      // As the API does when it has written a schedule down.
      await bells.arm(jobs.map((job) => job.at));
    },
    async isSettled() {
      const { rowCount } = await pool.query('select from leases limit 1');
      return rowCount === 0;
    },
    findFaults: (jobs: readonly Job[]) => findFaults(pool, jobs),
    close,
  };
}

/** The same connections as an API process has. */
export async function connect({ databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string }) {
  const onError = (error: Error) => console.error(error);
  const pool = openDatabase({ url: databaseUrl, max: 4, applicationName: 'carillon-bench', onError });
  const redis = connectProducer(redisUrl, onError);
  await new Promise((resolve) => redis.once('ready', resolve));
  const clock = new PostgresClock(Date.now);
  await clock.ask(() => readClock(pool));
  const bells = new Bells({
    redis,
    prefix: 'bull',
    clock,
    process: 'bench',
    horizonMs: 60_000,
    onArmed: () => {},
  });
  const close = async () => {
    await bells.close();
    redis.disconnect();
    await pool.end();
  };
  return { pool, bells, redis, close };
}

/** Each occurrence once, at the first attempt, never early, and its schedule at its end. */
async function findFaults(pool: Pool, jobs: readonly Job[]): Promise<string[]> {
  const { rows } = await pool.query<Record<string, number>>(
    `select (select count(*)::int from runs) as runs,
            (select count(*)::int from runs where status = 'succeeded' and attempt = 1 and finished_at >= claimed_at) as succeeded,
            (select count(*)::int from runs r join schedules s on s.id = r.schedule_id
             join schedule_versions v on v.schedule_id = s.id and v.version = s.definition_version
             where r.occurrence_at = r.due_at
               and round(date_part('epoch', r.occurrence_at) * 1000) = (v.payload->>'at')::float8) as at_their_time,
            (select count(*)::int from runs where claimed_at < due_at) as early,
            (select count(*)::int from schedules where status = 'finished' and runs_total = 1) as finished`,
  );
  const found = rows[0] ?? {};
  return (['runs', 'succeeded', 'at_their_time', 'finished'] as const)
    .filter((what) => found[what] !== jobs.length)
    .map((what) => `${what}: ${found[what]} of ${jobs.length}`)
    .concat(found.early ? [`${found.early} runs were claimed early`] : []);
}
