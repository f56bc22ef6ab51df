import type { ScheduleFilter } from './bulk.js';
import type { Duration, Instant } from './instant.js';
import type { ScheduleInput, SchedulePatch } from './schedule.js';

/** A request for a simulation. Nothing of it is saved. */
export interface SimulationInput {
  /** Schedules to simulate. */
  schedules?: ScheduleInput[] | undefined;
  /** Selects schedules of the project. Default: all of them, if `schedules` is not given. */
  filter?: ScheduleFilter | undefined;
  /**
   * Edits that are applied before the simulation begins: to the named schedule, or to all simulated schedules if
   * `schedule` is missing.
   */
  edits?: { schedule?: string | undefined; patch: SchedulePatch }[] | undefined;
  /**
   * The receiver that is down: the origin of the URL of a webhook (such as `https://example.com`), `queue:<name>`,
   * `handler:<name>`, or `call` or `heartbeat` for all targets of that type. If `receiver` is null or missing, the
   * whole engine is down.
   */
  outages?: { from: Instant; to: Instant; receiver?: string | null | undefined }[] | undefined;
  /** Default: now. */
  from?: Instant | undefined;
  /** Default: a day after `from`. */
  to?: Instant | undefined;
  /** How long each run takes (default `PT0S`). */
  runTime?: Duration | undefined;
  /** Maximum number of runs, and of gaps (stretches of skipped occurrences), in the answer (default 100). */
  limit?: number | undefined;
}

/** The outcome of the occurrences of some schedules, in numbers. */
export interface SimulationFigures {
  schedules: number;
  occurrences: number;
  runs: number;
  /**
   * Runs that were claimed later than the grace of their misfire policy allows, because they were due during an outage
   * of the engine or before the simulation began.
   */
  caughtUp: number;
  queued: number;
  /** Runs that an open circuit breaker deferred. */
  deferred: number;
  retried: number;
  failed: number;
  cancelled: number;
  /** The number of skipped occurrences by reason. */
  skipped: Record<string, number>;
}

export interface Simulation {
  from: string;
  to: string;
  total: SimulationFigures;
  byMisfire: Record<'once' | 'all' | 'skip', SimulationFigures>;
  byOverlap: Record<'allow' | 'skip' | 'queue' | 'cancel', SimulationFigures>;
  paused: number;
  circuitsOpened: number;
  /**
   * The changes of circuit breakers, in order of time. `half_open`: one delivery probes the receiver. `opened_again`:
   * the probe fails.
   */
  circuits: { receiver: string; at: string; kind: 'opened' | 'half_open' | 'opened_again' | 'closed' }[];
  /** The second in which most runs start. */
  peak: { at: string; perSecond: number; schedules: { id: string; runs: number }[] } | null;
  /** Seconds in which many schedules start at once (herds), and what would spread their starts. */
  advice: {
    kind: 'jitter' | 'catch_up';
    at: string;
    perSecond: number;
    schedules: string[];
    scheduleCount: number;
    jitter: string | null;
    perSecondAfter: number | null;
    text: string;
  }[];
  gaps: { schedule: string; from: string; to: string; count: number; reasonCode: string; reason: string }[];
  runs: {
    schedule: string;
    at: string;
    dueAt: string;
    startedAt: string | null;
    endedAt: string | null;
    status: 'succeeded' | 'failed' | 'skipped' | 'cancelled' | 'open';
    reasonCode: string | null;
    caughtUp: boolean;
    queued: boolean;
    attempts: number;
    deferrals: number;
  }[];
  steps: number;
  assumptions: string[];
}
