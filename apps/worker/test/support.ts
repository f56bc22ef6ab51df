import { randomBytes } from 'node:crypto';
import type { ScheduleInput } from '@carillon/shared';
import { eventually, insertSchedules, type TestDatabase } from '@carillon/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { readConfig } from '../src/config.js';
import { type RunningWorker, startWorker } from '../src/worker.js';

export const ENCRYPTION_KEY = randomBytes(32).toString('base64');

/** Short clocks: what takes half a minute in earnest takes a second or two here. */
const QUICK = {
  SWEEP_INTERVAL_MS: '150',
  ARM_HORIZON_MS: '10000',
  LEASE_MS: '2000',
  STOP_DEADLINE_MS: '200',
};

/** A worker in this process, on the test's own database. */
export function useWorker(database: TestDatabase, env: () => Record<string, string> = () => ({})) {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await startTestWorker(database, env());
  });
  afterAll(() => worker?.stop());
}

export async function startTestWorker(
  database: TestDatabase,
  env: Record<string, string>,
): Promise<RunningWorker> {
  const config = readConfig({
    ...QUICK,
    DATABASE_URL: database.url,
    REDIS_URL: database.redisUrl,
    REDIS_PREFIX: database.prefix,
    ALLOW_PRIVATE_TARGETS: 'true',
    CARILLON_ENCRYPTION_KEY: ENCRYPTION_KEY,
    ...env,
  });
  if ('problems' in config) throw new Error(config.problems.join());
  return startWorker(config, pino({ level: 'silent' }));
}

export interface RunSeen {
  status: string;
  attempt: number;
  freeAttempts: number;
  outcome: string | null;
  httpStatus: number | null;
  errorCode: string | null;
  error: string | null;
  response: string | null;
  externalId: string | null;
  reasonCode: string | null;
  reason: string | null;
  progress: unknown;
  finishedAt: Date | null;
  nextAttemptAt: Date | null;
}

/** Inserts a one-shot that is due now; answers its internal id. The sweep finds it, if nothing does before. */
export async function insertDue(database: TestDatabase, input: Omit<ScheduleInput, 'rule'>): Promise<number> {
  const [id] = await insertSchedules(database, [{ ...input, rule: { at: new Date().toISOString() } }]);
  return id as number;
}

export async function readRun(database: TestDatabase, scheduleId: number): Promise<RunSeen | null> {
  const { rows } = await database.pool.query<RunSeen>(
    `select status, attempt, free_attempts as "freeAttempts", outcome, http_status as "httpStatus", error_code as "errorCode",
            error, response, external_id as "externalId", reason_code as "reasonCode", reason, progress,
            finished_at as "finishedAt", next_attempt_at as "nextAttemptAt"
     from every_run where schedule_id = $1 order by occurrence_at`,
    [scheduleId],
  );
  return rows[0] ?? null;
}

/** Waits until the run of a schedule is as asked for, by default: until its attempt has ended. */
export function awaitRun(
  database: TestDatabase,
  scheduleId: number,
  isIt: (run: RunSeen) => boolean = ({ outcome }) => outcome !== null,
): Promise<RunSeen> {
  return eventually(
    async () => {
      const run = await readRun(database, scheduleId);
      return run && isIt(run) ? run : null;
    },
    { what: `the run of ${scheduleId}` },
  );
}

export const hasEnded = ({ status }: RunSeen) =>
  ['succeeded', 'failed', 'cancelled', 'skipped'].includes(status);
