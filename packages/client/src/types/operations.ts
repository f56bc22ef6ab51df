import type { Duration, Instant } from './instant.js';

/** A worker replica. */
export interface WorkerReplica {
  id: number;
  host: string;
  pid: number;
  status: 'alive' | 'lost' | 'stopped';
  inFlight: number;
  /** How far the clock of the worker is ahead of the clock of Postgres; negative if it is behind. */
  clockOffsetMs: number;
  /** The version of the worker's time zone data. */
  tzdata: string | null;
  startedAt: string;
  heartbeatAt: string;
  stoppedAt: string | null;
}

/** Whether Redis takes writes, and if not, why. */
export type RedisState =
  | 'up'
  | 'read_only'
  | 'out_of_memory'
  | 'access_denied'
  | 'cross_slot'
  | 'down'
  | 'off';

/** Why an installation is not ok. */
export interface HealthReason {
  code:
    | 'starting'
    | 'stopping'
    | 'postgres_down'
    | 'engine_unreadable'
    | 'redis_down'
    | 'redis_read_only'
    | 'redis_out_of_memory'
    | 'redis_access_denied'
    | 'redis_cross_slot'
    | 'no_workers'
    | 'overdue'
    | 'handler_missing'
    | HoldCode
    | 'clock_offset'
    | 'circuits_open'
    | 'dead_letters_rising'
    | 'drift_not_falling'
    | 'partitions_missing'
    | 'tzdata_differs'
    | 'audit_differences';
  message: string;
}

/** The status of an installation, with every reason why it is not ok. */
export interface Health {
  status: 'ok' | 'degraded' | 'down';
  reasons: HealthReason[];
}

/** The median and the 99th percentile of a duration, over `count` runs. */
export interface Quantiles {
  count: number;
  p50Ms: number | null;
  p99Ms: number | null;
}

/** How often something happened in a window of time: in total, and per minute on average. */
export interface Rate {
  count: number;
  perMinute: number;
}

/** Figures of a window of time that begins at `from` and ends now. */
export interface SystemWindow {
  from: string;
  /** The time from when a run was due to the first byte of its first attempt, once per run. */
  lateness: Quantiles;
  /**
   * How long runs waited before their first attempt. `backlog`: until a worker claimed them. `queue`: for their turn, as
   * triggers, as backfilled runs or because earlier runs of their schedule were open. `deferral`: because of an open
   * circuit breaker or a limit.
   */
  waits: { backlog: Quantiles; queue: Quantiles; deferral: Quantiles };
  deferrals: Rate;
  /** Runs that failed for good. */
  failed: Rate;
  /**
   * Differences that sweeps found and repaired: runs that were overdue, wake-ups (bells) that Redis had lost, and runs
   * whose worker had lost its lease.
   */
  drift: { overdue: Rate; missingBells: Rate; expiredLeases: Rate };
}

export type HoldCode = 'transactions_lost' | 'database_copied' | 'held_by_operator';

/** The health of the installation, and figures of its engine. */
export interface System extends Health {
  now: string;
  clockOffsetMs: number;
  redis: RedisState;
  workers: { alive: number; lost: number; inFlight: number };
  /** Why workers claim nothing until an operator runs `carillon restore`; null if the installation is not held. */
  hold: { code: HoldCode; since: string; reason: string; lostFrom: string } | null;
  backlog: { schedules: number; runs: number; oldestDueAt: string | null };
  sweep: { lastAt: string | null; ageMs: number | null };
  /** Wake-ups (bells) that Redis holds now; null without Redis or while Redis is unreachable. */
  bells: { armed: number | null };
  /** Circuit breakers that are open and make deliveries wait, over all projects and workers. */
  circuits: { open: number };
  /** Each window begins at a whole minute and ends now, so `minute` covers between one and two minutes. */
  windows: { minute: SystemWindow; hour: SystemWindow; day: SystemWindow };
  /** The time zone data with which coming occurrences were computed, and the versions of the live workers. */
  tzdata: { version: string | null; since: string | null; next: string | null; workers: string[] };
}

export interface Readiness extends Health {
  postgres: 'up' | 'down';
  redis: RedisState;
}

/** The number of runs by outcome, and their lateness. */
export interface Outcomes {
  succeeded: number;
  failed: number;
  skipped: number;
  cancelled: number;
  /**
   * Runs that are in progress and whose latest attempt was claimed in this step. Runs that wait for a retry are left
   * out.
   */
  running: number;
  lateness: { count: number; p50Ms: number | null; p99Ms: number | null };
}

export type StatsStep = Outcomes & { at: string };

/** The number of runs by outcome, and their lateness, for each step of a time range. */
export interface Stats {
  from: string;
  to: string;
  step: Duration;
  /**
   * False if some minutes may not be counted. Workers count the runs of each minute during the sweep, their regular
   * pass over Postgres, and the request for statistics counts the last five minutes itself. If no sweep has counted for
   * longer than that, the minutes in between are not counted yet.
   */
  complete: boolean;
  total: Outcomes;
  items: StatsStep[];
}

export interface StatsQuery {
  from?: Instant | undefined;
  to?: Instant | undefined;
  step?: Duration | undefined;
}

/** Schedules that a person should look at: their number (1,000 means 1,000 or more), and the first five. */
export interface AttentionList {
  count: number;
  items: { id: string; name: string | null; at: string; note: string | null }[];
}

export interface Attention {
  /** Schedules with a run that failed within the last day. */
  failing: AttentionList;
  /** Schedules that Carillon paused: after failures, after 410 Gone, or for a broken rule. */
  paused: AttentionList;
  /** Schedules that have been due for more than 15 seconds. */
  overdue: AttentionList;
  /** Schedules with runs that wait because the circuit breaker of their receiver is open. */
  blocked: AttentionList;
  /** Schedules with a breach of an objective that has not ended. */
  breaching: AttentionList;
  /**
   * The minute of the next 24 hours with the most fires. Null if no minute has 1,000 fires or more, or if the forecast
   * of a large project is still being computed in the background.
   */
  herd: { at: string; fires: number } | null;
}
