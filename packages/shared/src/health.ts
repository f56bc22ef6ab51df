import { HOLD_ADVICE, HOLD_CODES, type HoldCode } from './lost-time.js';

/**
 * How far a worker's clock may differ from Postgres's before the health report mentions it. People notice differences
 * from about a second on.
 */
export const MAX_CLOCK_OFFSET_MS = 1_000;
/** Due work counts as overdue after this many sweep intervals, because a sweep should have claimed it by then. */
const OVERDUE_AFTER_SWEEPS = 2;

/**
 * Whether Redis takes writes, and if not, why. A server that answers PING may still refuse every write. `off`: this
 * installation runs without Redis.
 */
export const REDIS_STATES = [
  'up',
  'read_only',
  'out_of_memory',
  'access_denied',
  'cross_slot',
  'down',
  'off',
] as const;
export type RedisState = (typeof REDIS_STATES)[number];

/** Every reason for which an installation is not ok. A new reason is added here, and judged in `judgeHealth`. */
export const HEALTH_REASON_CODES = [
  'starting',
  'stopping',
  'postgres_down',
  'engine_unreadable',
  'redis_down',
  'redis_read_only',
  'redis_out_of_memory',
  'redis_access_denied',
  'redis_cross_slot',
  ...HOLD_CODES,
  'no_workers',
  'overdue',
  'handler_missing',
  'clock_offset',
  'circuits_open',
  'dead_letters_rising',
  'drift_not_falling',
  'partitions_missing',
  'tzdata_differs',
  'audit_differences',
] as const;
export type HealthReasonCode = (typeof HEALTH_REASON_CODES)[number];

export interface HealthReason {
  code: HealthReasonCode;
  /** The problem, and what to do about it. */
  message: string;
}

export type HealthStatus = 'ok' | 'degraded' | 'down';

export interface Health {
  status: HealthStatus;
  reasons: HealthReason[];
}

/** The state of the engine, read from Postgres. All instants are by Postgres's clock. */
export interface EngineFacts {
  now: number;
  /** Why workers claim nothing until an operator decides (`carillon restore`); null if they do claim. */
  heldCode: HoldCode | null;
  workersAlive: number;
  /**
   * Workers look for overdue work at this interval (the sweep). If the intervals of the live workers differ, this is
   * the longest.
   */
  sweepIntervalMs: number;
  /**
   * The earliest due time of a schedule or a waiting attempt that is due now. Work is left out if it needs a handler
   * that no live worker has. Null if nothing is due.
   */
  oldestDeliverableAt: number | null;
  /** Number of schedules and waiting attempts, among the oldest that are due, whose handler no live worker has. */
  dueWithoutHandler: number;
  /**
   * The clock offset of the live worker whose clock differs most from Postgres's; positive if the worker's clock is
   * ahead.
   */
  largestClockOffsetMs: number;
  /** Number of open circuit breakers that make deliveries wait, over all projects and live workers. */
  openCircuits: number;
  /** Number of runs that failed for good in the current minute and the five minutes before it. */
  failedLately: number;
  /** Number of attempts that succeeded in the current minute and the five minutes before it. */
  succeededLately: number;
  /**
   * Number of overdue rows, missing wake-ups and expired leases (drift) that sweeps found in each of the last three
   * whole minutes, oldest first.
   */
  driftByMinute: readonly number[];
  /** Number of months, out of the current month and the next one, for which the history tables have no partition. */
  missingPartitions: number;
  /**
   * Number of differences that audits found between the occurrences of schedules and the runs that exist. It falls back
   * to 0 after a day without a new difference.
   */
  auditDifferences: number;
  /**
   * The distinct versions of the time zone data on the live workers. The API adds its own version, so that a difference
   * between API and workers shows as well.
   */
  tzdataVersions: string[];
}

/**
 * Dead letters (runs that failed for good) are reported as rising if there were at least this many within five minutes,
 * and if they are at least this share of the runs that ended.
 */
const RISING_FAILURES = 10;
const RISING_SHARE = 0.05;

const REDIS_REASONS: Record<Exclude<RedisState, 'up' | 'off'>, HealthReason> = {
  down: {
    code: 'redis_down',
    message: 'Redis does not answer: due runs are found by the sweep, some seconds late.',
  },
  read_only: {
    code: 'redis_read_only',
    message:
      'Redis is a read-only replica: due runs are found by the sweep, some seconds late. Point REDIS_URL at the master.',
  },
  out_of_memory: {
    code: 'redis_out_of_memory',
    message:
      'Redis is out of memory: due runs are found by the sweep, some seconds late. Raise maxmemory or remove keys.',
  },
  access_denied: {
    code: 'redis_access_denied',
    message:
      'Redis refuses the password or the permissions of REDIS_URL: due runs are found by the sweep, some seconds late.',
  },
  cross_slot: {
    code: 'redis_cross_slot',
    message:
      'Redis is a cluster, and REDIS_URL does not say so: due runs are found by the sweep, some seconds late. Set REDIS_URL to redis-cluster://…',
  },
};

/**
 * The phase of a process. A process that is starting or stopping is not ready, however healthy Postgres and Redis are.
 */
export type Phase = 'starting' | 'running' | 'stopping';

const PHASE_REASONS: Record<Exclude<Phase, 'running'>, HealthReason> = {
  starting: {
    code: 'starting',
    message: 'This process is starting: it has not connected to its servers yet.',
  },
  stopping: {
    code: 'stopping',
    message: 'This process is stopping: it finishes what it has begun. Use another replica.',
  },
};

/** The health of a process that is starting or stopping. */
export const healthInPhase = (phase: Exclude<Phase, 'running'>): Health => ({
  status: 'down',
  reasons: [PHASE_REASONS[phase]],
});

/** The servers and workers that an installation depends on. `engine` is null if its facts could not be read in time. */
export interface HealthFacts {
  isPostgresUp: boolean;
  engine: EngineFacts | null;
  redis: RedisState;
}

/** The state of an installation, with every reason for which it is not ok. */
export function judgeHealth({ isPostgresUp, engine, redis }: HealthFacts): Health {
  const reasons: HealthReason[] = [];
  if (!isPostgresUp)
    reasons.push({ code: 'postgres_down', message: 'Postgres does not answer: nothing can be read or run.' });
  if (redis !== 'up' && redis !== 'off') reasons.push(REDIS_REASONS[redis]);
  if (engine) reasons.push(...judgeEngine(engine));
  else if (isPostgresUp)
    reasons.push({
      code: 'engine_unreadable',
      message:
        'Postgres answers, but the state of the engine could not be read in time: look for locks and load.',
    });
  return { status: isPostgresUp ? (reasons.length > 0 ? 'degraded' : 'ok') : 'down', reasons };
}

function judgeEngine(engine: EngineFacts): HealthReason[] {
  const reasons: HealthReason[] = [];
  const { now, heldCode, oldestDeliverableAt, sweepIntervalMs, dueWithoutHandler, largestClockOffsetMs } =
    engine;
  if (heldCode !== null) reasons.push({ code: heldCode, message: HOLD_ADVICE[heldCode] });
  if (engine.workersAlive === 0)
    reasons.push({ code: 'no_workers', message: 'No worker is alive: start one. Due runs wait meanwhile.' });
  const overdueMs = oldestDeliverableAt === null ? 0 : now - oldestDeliverableAt;
  // While workers claim nothing until an operator decides, everything that falls due becomes overdue. The reason for
  // that is reported above.
  if (heldCode === null && overdueMs > OVERDUE_AFTER_SWEEPS * sweepIntervalMs)
    reasons.push({
      code: 'overdue',
      message: `The oldest due run has waited for ${Math.round(overdueMs / 1_000)} s, longer than two sweeps: workers are overloaded or stuck.`,
    });
  if (engine.workersAlive > 0 && dueWithoutHandler > 0)
    reasons.push({
      code: 'handler_missing',
      message: `${dueWithoutHandler} due runs wait for a handler that no live worker has: start a worker that defines it.`,
    });
  if (Math.abs(largestClockOffsetMs) > MAX_CLOCK_OFFSET_MS)
    reasons.push({
      code: 'clock_offset',
      message: `The clock of a worker is ${Math.abs(largestClockOffsetMs)} ms ${largestClockOffsetMs > 0 ? 'ahead of' : 'behind'} Postgres's: synchronise it.`,
    });
  if (engine.tzdataVersions.length > 1)
    reasons.push({
      code: 'tzdata_differs',
      message: `The processes have different time zone data (${engine.tzdataVersions.join(', ')}): run one version of Node for the API and all workers.`,
    });
  return [...reasons, ...judgeDeliveries(engine), ...judgeUpkeep(engine)];
}

function judgeDeliveries({ openCircuits, failedLately, succeededLately }: EngineFacts): HealthReason[] {
  const reasons: HealthReason[] = [];
  if (openCircuits > 0)
    reasons.push({
      code: 'circuits_open',
      message: `${openCircuits === 1 ? 'A circuit breaker is' : `${openCircuits} circuit breakers are`} open because a receiver keeps failing: its deliveries wait, and go out when it answers again. GET /v1/attention names the schedules.`,
    });
  const share = failedLately / Math.max(1, failedLately + succeededLately);
  if (failedLately >= RISING_FAILURES && share >= RISING_SHARE)
    reasons.push({
      code: 'dead_letters_rising',
      message: `${failedLately} runs failed for good in the last five minutes, ${Math.round(share * 100)}% of those that ended: look at GET /v1/runs?status=failed, and replay them when the cause is gone.`,
    });
  return reasons;
}

function judgeUpkeep({ driftByMinute, missingPartitions, auditDifferences }: EngineFacts): HealthReason[] {
  const reasons: HealthReason[] = [];
  const [first = 0] = driftByMinute;
  const last = driftByMinute.at(-1) ?? 0;
  if (driftByMinute.length > 0 && driftByMinute.every((differences) => differences > 0) && last >= first)
    reasons.push({
      code: 'drift_not_falling',
      message: `Sweeps have repaired differences for ${driftByMinute.length} minutes (${driftByMinute.join(', ')} a minute), and they do not get fewer: Redis loses wake-ups, or workers are overloaded.`,
    });
  if (missingPartitions > 0)
    reasons.push({
      code: 'partitions_missing',
      message: `The history has no partition for ${missingPartitions === 1 ? 'a month' : `${missingPartitions} months`} to come. The first claim of such a month has to create it, slowly: look for errors of the hourly prune in the workers' logs.`,
    });
  if (auditDifferences > 0)
    reasons.push({
      code: 'audit_differences',
      message: `The audit found ${auditDifferences === 1 ? 'an occurrence that differs' : `${auditDifferences} occurrences that differ`} from the runs that exist: \`carillon check\` or GET /v1/audit/occurrences lists them.`,
    });
  return reasons;
}
