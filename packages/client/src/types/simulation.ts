import type { ScheduleFilter } from './bulk.js';
import type { Duration, Instant } from './instant.js';
import type { ScheduleInput, SchedulePatch } from './schedule.js';

/** A request for a simulation. Nothing of it is saved. */
export interface SimulationInput {
  /** Schedules to simulate. */
  schedules?: ScheduleInput[] | undefined;
  /** Selects schedules of the project. Default: all of them, if `schedules` is not given. */
  filter?: ScheduleFilter | undefined;
  /** Edits of one schedule, or of all that are simulated. */
  edits?: { schedule?: string | undefined; patch: SchedulePatch }[] | undefined;
  /**
   * `receiver` is the origin of a webhook, `queue:name`, `handler:name` or `call`. Without it, the outage is of the
   * whole engine.
   */
  outages?: { from: Instant; to: Instant; receiver?: string | null | undefined }[] | undefined;
  /** Default: now. */
  from?: Instant | undefined;
  /** Default: a day after `from`. */
  to?: Instant | undefined;
  /** How long each run takes (default `PT0S`). */
  runTime?: Duration | undefined;
  /** Maximum number of runs and of gaps in the answer (default 100). */
  limit?: number | undefined;
}

/** The outcome of the occurrences of some schedules, in numbers. */
export interface SimulationFigures {
  schedules: number;
  occurrences: number;
  runs: number;
  /** Runs that start later than their grace, after an outage. */
  caughtUp: number;
  queued: number;
  /** Runs that an open circuit deferred. */
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
  /** When circuits change, in order. `half_open`: one delivery probes the receiver. `opened_again`: the probe fails. */
  circuits: { receiver: string; at: string; kind: 'opened' | 'half_open' | 'opened_again' | 'closed' }[];
  /** The second in which most runs start. */
  peak: { at: string; perSecond: number; schedules: { id: string; runs: number }[] } | null;
  /** Herds, and what would spread them. */
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
