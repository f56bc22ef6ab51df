import { randomBytes } from 'node:crypto';
import type { ScheduleInput } from '@carillon/shared';
import { eventually, insertSchedules, type TestDatabase } from '@carillon/testkit';
import { type Logger, pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { type Config, readConfig } from '../src/config.js';
import type { WorkerContext } from '../src/context.js';
import { openParts, type WorkerParts } from '../src/open-parts.js';
import { Claimer } from '../src/pipeline/claim.js';
import { Finalizer } from '../src/pipeline/finalize.js';
import { type Flight, InFlight } from '../src/pipeline/in-flight.js';
import type { Registry } from '../src/registry.js';
import { type RunningWorker, startWorker } from '../src/worker.js';

export const ENCRYPTION_KEY = randomBytes(32).toString('base64');

/** Short intervals, so that a recovery that takes half a minute in production takes a second or two here. */
const QUICK = {
  SWEEP_INTERVAL_MS: '150',
  ARM_HORIZON_MS: '10000',
  LEASE_MS: '2000',
  STOP_DEADLINE_MS: '200',
};

/** Runs a worker in this process, on the test's own database. */
export function useWorker(database: TestDatabase, env: () => Record<string, string> = () => ({})) {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await startTestWorker(database, env());
  });
  afterAll(() => worker?.stop());
}

/** Runs a worker that has the handlers of this registry and no others. */
export function useRegistry(database: TestDatabase, registry: Registry) {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await startTestWorker(database, {}, undefined, registry);
  });
  afterAll(() => worker?.stop());
}

export async function startTestWorker(
  database: TestDatabase,
  env: Record<string, string>,
  log: Logger = pino({ level: 'silent' }),
  registry?: Registry,
): Promise<RunningWorker> {
  return startWorker(testConfig(database, env), log, { registry });
}

function testConfig(database: TestDatabase, env: Record<string, string>): Config {
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
  return config;
}

/** Opens the parts of a worker without starting it, so that no claim, sweep or heartbeat interferes with the test. */
export function useParts(database: TestDatabase, env: () => Record<string, string> = () => ({})) {
  const { log, messages } = keepLog();
  let parts: WorkerParts;
  beforeAll(async () => {
    parts = await openParts(
      testConfig(database, { LEASE_MS: '60000', ARM_HORIZON_MS: '60000', ...env() }),
      log,
    );
  });
  afterAll(async () => {
    await parts?.closeTargets();
    await parts?.close();
  });
  return {
    messages,
    get parts() {
      return parts;
    },
    get context() {
      return parts.context;
    },
    get connections() {
      if (parts.bellSource.by !== 'redis') throw new Error('these parts have no Redis');
      return parts.bellSource.connections;
    },
  };
}

/** Returns the only run in flight. Fails if there is none, or more than one. */
export function onlyOne(flights: readonly Flight[]): Flight {
  const [flight] = flights;
  if (!flight || flights.length > 1) throw new Error(`${flights.length} runs are in flight`);
  return flight;
}

/** A log whose lines the test can read. */
export function keepLog(): { log: Logger; messages: string[] } {
  const messages: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void messages.push(JSON.parse(line).msg) });
  return { log, messages };
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
  finishedAt: number | null;
  /**
   * Infinity while the schedule of a waiting run is paused, or while the run waits for the previous run of its
   * schedule.
   */
  nextAttemptAt: number | null;
}

/**
 * Inserts a one-shot that is due now; returns its internal id. No wake-up is set for it, so a worker finds it by its
 * sweep.
 */
export async function insertDue(database: TestDatabase, input: Omit<ScheduleInput, 'rule'>): Promise<number> {
  const [id] = await insertSchedules(database, [{ ...input, rule: { at: new Date().toISOString() } }]);
  return id as number;
}

export async function readRun(database: TestDatabase, scheduleId: number): Promise<RunSeen | null> {
  const { rows } = await database.pool.query<RunSeen>(
    `select status, attempt, free_attempts as "freeAttempts", outcome, http_status as "httpStatus", error_code as "errorCode",
            error, response, external_id as "externalId", reason_code as "reasonCode", reason, progress,
            finished_at as "finishedAt", next_attempt_at as "nextAttemptAt"
     from carillon.runs where schedule_id = $1 order by occurrence_at`,
    [scheduleId],
  );
  return rows[0] ?? null;
}

/** Waits until the run of a schedule meets the condition, by default until its attempt has ended. */
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

/** The attempts of a schedule's runs, by number. */
export async function attemptsOf(
  { pool }: TestDatabase,
  scheduleId: number,
): Promise<{ number: number; outcome: string }[]> {
  const { rows } = await pool.query(
    'select number, outcome from carillon.run_attempts where schedule_id = $1 order by number',
    [scheduleId],
  );
  return rows;
}

/** Claims everything that is due. The runs stay open until the test closes them with the finalizer. */
export async function claimAll(context: WorkerContext) {
  const inFlight = new InFlight({ places: 100, bytes: 1e9 }, () => {});
  const flights: Flight[] = [];
  const claimer = new Claimer(
    context,
    inFlight,
    { throttle: () => null },
    (runs) => void flights.push(...inFlight.add(runs)),
  );
  await claimer.ring();
  return { inFlight, flights, finalizer: new Finalizer(context, inFlight) };
}
