import type { Timing } from '@carillon/recurrence';
import type { CircuitChange } from '../circuits.js';
import type { DueOccurrence } from '../decide-due.js';
import type { Plan } from '../plan.js';

/** A schedule in its state at the beginning of the simulation. */
export interface SimulatedSchedule {
  key: string;
  timing: Timing;
  plan: Plan;
  /** The next occurrence; null if there is none. */
  next: DueOccurrence | null;
  runsTotal: number;
  isPaused: boolean;
  /** When the pause ends by itself; null if it does not, or if the schedule is not paused. */
  pausedUntilAt: number | null;
}

/** A period in which one receiver fails every attempt or, if `receiver` is null, in which nothing is claimed. */
export interface Outage {
  fromAt: number;
  /** Exclusive. */
  toAt: number;
  /** The name of the receiver, as `receiverOf` gives it; null for the whole engine. */
  receiver: string | null;
}

export interface SimulationOptions {
  fromAt: number;
  /** Inclusive. */
  toAt: number;
  outages: readonly Outage[];
  /** How long a successful run takes. */
  runMs: number;
  /** How long a circuit stays open at first. */
  circuitOpenMs: number;
  maxSteps: number;
}

export interface SimulatedRun extends DueOccurrence {
  schedule: string;
  /** When the first attempt of the run began; null if none did. */
  startedAt: number | null;
  endedAt: number | null;
  /** `open`: the run had not ended at the end of the simulation. */
  status: 'succeeded' | 'failed' | 'skipped' | 'cancelled' | 'open';
  reasonCode: string | null;
  /** True if the run was claimed later than the grace of its misfire policy allows. */
  isCaughtUp: boolean;
  wasQueued: boolean;
  attempts: number;
  /** How often an open circuit deferred the run. */
  deferrals: number;
}

/** Occurrences that were not run, all for one reason. */
export interface SimulatedGap {
  schedule: string;
  fromAt: number;
  toAt: number;
  count: number;
  reasonCode: string;
  reason: string;
}

export interface Simulation {
  runs: SimulatedRun[];
  gaps: SimulatedGap[];
  schedules: number;
  /**
   * Schedules that are paused at the end: they were paused before, or the engine paused them because they kept failing.
   */
  paused: string[];
  /** When circuits opened, were probed and closed, in order. The key is the name of the receiver. */
  circuitChanges: readonly CircuitChange[];
  steps: number;
}
