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
  /** True if an earlier attempt has begun, so that the lateness of the run is known. */
  hasBegun: boolean;
  /** When the run was first recorded: by this claim, or when it was queued. */
  recordedAt: number;
  claimedAt: number;
  /** When the run was first deferred before its first attempt; null if it was not. */
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

/** Occurrences of one schedule that a claim passed over. */
export interface MissedOccurrences {
  reasonCode: string;
  count: number;
}

export interface Claim {
  runs: ClaimedRun[];
  /** When the claim was made, by Postgres's clock; 0 if nothing was due. */
  nowAt: number;
  /** When the claimed schedules are due next. */
  nextDueAts: number[];
  /** The keys of schedules whose occurrence already had its run. */
  lostKeys: string[];
  /** Occurrences that were not run, with the reason. */
  missed: MissedOccurrences[];
  /** True if the batch was full: there may be more. */
  isFull: boolean;
  /** True if a due row was left out because another transaction has locked or just changed its schedule. */
  isBlocked: boolean;
  /** A run that could not be claimed, and has failed for that reason. */
  setAside: FailedRun | null;
}

/** A run that has failed for good, for the log. */
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
 * SQL: true if this worker can deliver the row, because its target is not a handler, or is a handler that the worker
 * has. The `coalesce` helps the planner: it assumes that half of the rows match, so it reads the index in order. With a
 * plain `or`, it would assume that few rows match, and would sort all due rows.
 */
export const isDeliverable = (row: string) => `coalesce(${row}.handler = any(:handlers::text[]), true)`;
