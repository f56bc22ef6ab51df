import type { DueSchedule, LostTime, Plan, RunIdentity } from '@carillon/shared';
import type { RunKey } from '../runs/run-transitions.js';
import type { Claimant } from './fencing.js';
import type { ProjectShare } from './project-shares.js';

/** A run that this worker has claimed, with everything that its delivery needs. */
export interface ClaimedRun extends RunKey {
  projectId: number;
  scheduleKey: string;
  dueAt: number;
  attempt: number;
  freeAttempts: number;
  replays: number;
  /** True if an earlier attempt of the run has begun. The lateness of the run is then known already. */
  hasBegun: boolean;
  /** When the row of the run was inserted: by this claim, or earlier if the run had to wait. */
  recordedAt: number;
  claimedAt: number;
  /**
   * When the run was first claimed, if it was then deferred (put back unsent, for example because its receiver was busy)
   * before its first attempt; null if it was not deferred.
   */
  deferredFromAt: number | null;
  epoch: number;
  isCounted: boolean;
  plan: Plan;
  payload: string | null;
}

/** A due schedule whose agenda row is locked until the transaction ends. */
export interface DueRow extends DueSchedule {
  id: number;
  projectId: number;
  version: number;
  definitionVersion: number;
  isCounted: boolean;
  handler: string | null;
  /** JSON text, passed through as it is. */
  payload: string | null;
  lostTime: LostTime | null;
}

/** Number of occurrences of one schedule that were due but did not run, with the reason. */
export interface MissedOccurrences {
  reasonCode: string;
  count: number;
}

export interface Claim {
  runs: ClaimedRun[];
  /** When the claim was made, by Postgres's clock; 0 if nothing was due. */
  nowAt: number;
  /** The next due time of each schedule in the batch that has one. */
  nextDueAts: number[];
  /**
   * The keys of schedules whose run this claim did not start, because the occurrence had a run already or the schedule
   * was changed after the decision.
   */
  lostKeys: string[];
  /** Occurrences that were due but did not run, with the reason. */
  missed: MissedOccurrences[];
  /** True if the batch was full: more rows may be due. */
  isFull: boolean;
  /** True if a due row was left out because another transaction has locked or just changed its schedule. */
  isBlocked: boolean;
  /** A run that could not be claimed and has failed for that reason; null if there is none. */
  setAside: FailedRun | null;
}

/** The log fields of a run that has failed for good. */
export interface FailedRun extends RunIdentity {
  projectId: number;
  scheduleKey: string;
  targetType: string;
  attempt: number;
  errorCode: string;
  error: string;
}

export interface LockDueOptions {
  limit: number;
  /**
   * The projects that share the batch; other projects get nothing. If empty, the earliest rows of all projects are
   * locked.
   */
  fairTo: readonly ProjectShare[];
  /** Once the payloads exceed this many bytes, further rows wait for the next batch (default: no limit). */
  maxBytes?: number;
  /** The handlers that this worker has. */
  handlers: readonly string[];
  now: number | null;
}

export interface ClaimOptions extends LockDueOptions, Claimant {
  leaseMs: number;
}

export const NOTHING_CLAIMED: Claim = {
  runs: [],
  nowAt: 0,
  nextDueAts: [],
  lostKeys: [],
  missed: [],
  isFull: false,
  isBlocked: false,
  setAside: null,
};

/**
 * SQL: true if this worker can deliver the row: its target is not a handler, or is a handler that the worker has. The
 * planner assumes that a `coalesce` is true for half of the rows, and therefore reads the index in order. For a plain
 * `or` it would assume that few rows match, and would sort all due rows.
 */
export const isDeliverable = (row: string) => `coalesce(${row}.handler = any(:handlers::text[]), true)`;
