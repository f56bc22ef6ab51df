import type { ErrorCode } from './failure-label.js';
import type { Plan } from './plan.js';
import { retryDelayMs } from './retry.js';

/** The receiver's answer, if there was one. */
export interface Answer {
  httpStatus: number | null;
  response: string | null;
  externalId: string | null;
}

/** The reasons for which a claimed run is not sent yet. */
export const DEFERRAL_REASONS = [
  'awaiting_ping',
  'circuit_open',
  'handler_busy',
  'handler_missing',
  'names_busy',
  'origin_busy',
  'postgres_unavailable',
  'project_busy',
  'project_rate',
] as const;
export type DeferralReason = (typeof DEFERRAL_REASONS)[number];

/** The result of one attempt. A failure of the receiver is a value, not an exception. */
export type Outcome =
  | { kind: 'succeeded'; answer?: Answer }
  | {
      kind: 'failed';
      /** True if another attempt could succeed. */
      isTransient: boolean;
      errorCode: ErrorCode;
      error: string;
      answer?: Answer;
      /** The delay that the receiver asked for with `Retry-After`. */
      retryAfterMs?: number | null;
      /** True if the receiver answered 410 Gone. Its schedule then pauses. */
      isGone?: boolean;
    }
  /** This worker is stopping, so another worker will deliver the run. The attempt does not count. */
  | { kind: 'handed_back' }
  /** Nothing was sent, because nothing may be sent to the target now. The run waits, and the attempt does not count. */
  | { kind: 'deferred'; retryInMs: number; reasonCode: DeferralReason; reason: string };

export type Closing =
  | { status: 'succeeded' | 'failed'; retryInMs: null }
  | { status: 'retrying'; retryInMs: number };

/** Decides the next state of the run. `attempt` counts from 1 and does not include free attempts. */
export function closingOf(
  outcome: Outcome,
  { retry, attempt, random }: { retry: Plan['retry']; attempt: number; random: number },
): Closing {
  switch (outcome.kind) {
    case 'succeeded':
      return { status: 'succeeded', retryInMs: null };
    case 'handed_back':
      return { status: 'retrying', retryInMs: 0 };
    case 'deferred':
      return { status: 'retrying', retryInMs: outcome.retryInMs };
    case 'failed': {
      if (!outcome.isTransient || attempt >= retry.maxAttempts) return { status: 'failed', retryInMs: null };
      const retryInMs = retryDelayMs(retry, { attempt, random, retryAfterMs: outcome.retryAfterMs ?? null });
      return { status: 'retrying', retryInMs };
    }
  }
}
