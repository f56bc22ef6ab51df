import type { Instant } from './instant.js';

export type RunStatus = 'queued' | 'running' | 'retrying' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';
export type RunOrigin = 'rule' | 'trigger' | 'backfill';

/** One occurrence, claimed or accounted for. */
export interface Run {
  id: string;
  scheduleId: string;
  status: RunStatus;
  origin: RunOrigin;
  /** The instant that the rule named. */
  occurrenceAt: string;
  /** The occurrence, plus jitter, or wherever a reschedule put it. */
  dueAt: string;
  enqueuedAt: string;
  claimedAt: string | null;
  claimedBy: number | null;
  finishedAt: string | null;
  durationMs: number | null;
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

/** One try at delivering a run, with what came back. */
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
  response: string | null;
  externalId: string | null;
  workerId: number | null;
}

export type RunWithAttempts = Run & { attempts: Attempt[] };

export interface RunFilter {
  schedule?: string | undefined;
  status?: RunStatus | undefined;
  from?: Instant | undefined;
  to?: Instant | undefined;
}

/** Which failed runs to replay, and how fast. */
export interface ReplayInput {
  schedule?: string | undefined;
  from?: Instant | undefined;
  to?: Instant | undefined;
  /** Up to 10,000; 1,000 unless said. */
  limit?: number | undefined;
  /** A receiver that was down must not be flooded once it is back. */
  perSecond?: number | undefined;
}

export interface ReplayAnswer {
  replayed: number;
  /** As many were replayed as one call may: there may be more. */
  hasMore: boolean;
}
