import type { ScheduleFilter } from './bulk.js';
import type { Instant } from './instant.js';

export type RunStatus = 'queued' | 'running' | 'retrying' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';
export type RunOrigin = 'rule' | 'trigger' | 'backfill';

/** The execution of one occurrence, or the record of why it was skipped. */
export interface Run {
  id: string;
  scheduleId: string;
  status: RunStatus;
  origin: RunOrigin;
  /** The instant of the occurrence itself, without jitter, and before it was rescheduled. */
  occurrenceAt: string;
  /** The occurrence plus jitter, or the instant that it was rescheduled to. */
  dueAt: string;
  enqueuedAt: string;
  claimedAt: string | null;
  claimedBy: number | null;
  finishedAt: string | null;
  durationMs: number | null;
  /** The time from when the run was due to the first byte of its first attempt; null if nothing was sent yet. */
  latenessMs: number | null;
  scheduleVersion: number;
  attemptCount: number;
  nextRetryAt: string | null;
  lastError: string | null;
  externalId: string | null;
  reasonCode: string | null;
  reason: string | null;
  progress: unknown;
  replays: number;
}

/** One delivery attempt of a run, with its response. */
export interface Attempt {
  number: number;
  key: string;
  startedAt: string | null;
  finishedAt: string | null;
  outcome: 'open' | 'succeeded' | 'failed' | 'unknown' | 'cancelled' | 'handed_back';
  httpStatus: number | null;
  durationMs: number | null;
  errorCode: string | null;
  error: string | null;
  /** The answer of a receiver, up to 16 KiB. */
  response: string | null;
  /** The value that a handler returned, up to 16 KiB of JSON. */
  result: unknown;
  /** Why the value that a handler returned was not kept. */
  resultError: string | null;
  externalId: string | null;
  workerId: number | null;
}

/** One step of what happened to an occurrence, such as an attempt. */
export interface LedgerStep {
  at: string;
  /** When an attempt or a deferral ended; null for a step without a duration. */
  until: string | null;
  kind:
    | 'named'
    | 'due'
    | 'rescheduled'
    | 'triggered'
    | 'backfilled'
    | 'queued'
    | 'claimed'
    | 'deferred'
    | 'attempt'
    | 'paused'
    | 'resumed'
    | 'edited'
    | 'replayed'
    | 'reported'
    | 'restored'
    | 'skipped'
    | 'cancelled'
    | 'succeeded'
    | 'failed';
  text: string;
  actor: string | null;
  /** The number of the attempt that this step is about; for a deferral, of the attempt that was deferred. */
  attempt: number | null;
  outcome: Attempt['outcome'] | null;
  reasonCode: string | null;
  /** How many deferrals, or how many skipped occurrences, the step stands for; 1 for any other step. */
  count: number;
  version: number | null;
}

export type RunWithAttempts = Run & {
  attempts: Attempt[];
  /** One sentence that says how the run went and why. */
  why: string;
  /** Everything that happened to the run, step by step. */
  story: LedgerStep[];
};

export interface RunFilter {
  schedule?: string | undefined;
  status?: RunStatus | undefined;
  from?: Instant | undefined;
  to?: Instant | undefined;
}

/** Selects dead letters: runs that failed for good. */
export interface DeadLetterFilter {
  schedule?: string | undefined;
  /** The receiver, as a group of dead letters names it: host and path of a webhook, or for example `queue mails`. */
  receiver?: string | undefined;
  error?: string | undefined;
  from?: Instant | undefined;
  to?: Instant | undefined;
}

/** Runs that failed for good, by receiver and error. */
export interface DeadLetters {
  runs: number;
  /** False if the answer covers only a part: the latest failed runs (up to 100,000), or the 200 largest groups. */
  complete: boolean;
  groups: {
    receiver: string;
    error: string;
    runs: number;
    schedules: number;
    /** Up to three schedules, the latest failure first. */
    examples: string[];
    oldestAt: string;
    latestAt: string;
  }[];
}

/** Which failed runs to replay, and how fast. */
export interface ReplayInput extends DeadLetterFilter {
  /** Runs of any of these schedules. */
  schedules?: string[] | undefined;
  /** Runs of all schedules that match. */
  filter?: ScheduleFilter | undefined;
  /** Maximum number of runs to replay (default 1,000). The API accepts up to 100,000. */
  limit?: number | undefined;
  /** Limits the rate, so that a receiver that has recovered is not flooded. */
  perSecond?: number | undefined;
  /** If true, the call changes nothing, and the answer shows what would be replayed. */
  dryRun?: boolean | undefined;
}

export interface ReplayAnswer {
  dryRun: boolean;
  replayed: number;
  /** True if the limit of this call was reached, so more runs may match. */
  hasMore: boolean;
  /** The result of a dry run; null otherwise. */
  preview: {
    runs: number;
    schedules: number;
    examples: string[];
    oldestAt: string | null;
    latestAt: string | null;
  } | null;
}
