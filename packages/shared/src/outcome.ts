import type { ErrorCode } from './failure-label.js';
import type { Plan } from './plan.js';

/** The receiver's answer, if there was one. */
export interface ReceiverAnswer {
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
  'redis_unavailable',
] as const;
export type DeferralReason = (typeof DEFERRAL_REASONS)[number];

/** The result of one attempt. A failure of the receiver is a value, not an exception. */
export type Outcome =
  | { kind: 'succeeded'; answer?: ReceiverAnswer }
  | {
      kind: 'failed';
      /** True if another attempt could succeed. */
      isTransient: boolean;
      errorCode: ErrorCode;
      error: string;
      answer?: ReceiverAnswer;
      /** The delay that the receiver asked for with `Retry-After`. */
      retryAfterMs?: number | null;
      /** True if the receiver answered 410 Gone. Its schedule then pauses. */
      isGone?: boolean;
    }
  /**
   * The worker hands the run back, because it is stopping, or because it lost its lease before the delivery began.
   * Another worker delivers the run, and this attempt does not count.
   */
  | { kind: 'handed_back' }
  /** Nothing was sent, for one of the `DEFERRAL_REASONS`. The run waits, and the attempt does not count. */
  | { kind: 'deferred'; retryInMs: number; reasonCode: DeferralReason; reason: string };

export type Closing =
  | { status: 'succeeded' | 'failed'; retryInMs: null }
  | { status: 'retrying'; retryInMs: number };

/**
 * Decides the next state of the run. `attempt` counts from 1 and leaves out attempts that do not count against the
 * limit.
 */
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

/**
 * The delay after a failed attempt: base · 2^(attempt − 1), at most the cap, plus up to a tenth with jitter. `random`
 * is in [0, 1). If the receiver asked for a delay, that delay is used, up to the cap.
 */
export function retryDelayMs(
  retry: Plan['retry'],
  { attempt, random, retryAfterMs }: { attempt: number; random: number; retryAfterMs: number | null },
): number {
  if (retryAfterMs !== null) return Math.min(Math.max(retryAfterMs, 0), retry.maxDelayMs);
  const delayMs = Math.min(retry.baseDelayMs * 2 ** (attempt - 1), retry.maxDelayMs);
  return Math.round(retry.jitter ? delayMs * (1 + random / 10) : delayMs);
}

/** The answer of a receiver, with the part of the body that is kept. */
export interface HttpAnswer {
  status: number;
  retryAfter: string | null;
  /** The first 16 KiB at most. */
  text: string;
}

/** The statuses below 500 that mean "try again later". */
const RETRIED = new Set([408, 425, 429]);

/**
 * Classifies an HTTP answer. 2xx is a success; 5xx and a few others are transient; every other 4xx is final. A redirect
 * is final too, because its address was not vetted. 410 means that the receiver is gone for good.
 */
export function classifyAnswer({ status, retryAfter, text }: HttpAnswer, nowAt: number): Outcome {
  const answer: ReceiverAnswer = {
    httpStatus: status,
    response: text === '' ? null : text,
    externalId: externalIdOf(text),
  };
  if (status >= 200 && status < 300) return { kind: 'succeeded', answer };
  const isTransient = status >= 500 || RETRIED.has(status);
  return {
    kind: 'failed',
    isTransient,
    errorCode: `http_${status}`,
    error: `the receiver answered ${status}`,
    answer,
    retryAfterMs: isTransient && retryAfter !== null ? retryAfterMs(retryAfter, nowAt) : null,
    isGone: status === 410,
  };
}

/**
 * True if an outcome is a failure of the origin as a whole: a server error or no connection. A 4xx is about the
 * request.
 */
export function isOriginFailure(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.isTransient && (outcome.answer?.httpStatus ?? 500) >= 500;
}

const MAX_ID_LENGTH = 256;

/** The `id` of a JSON answer: the receiver's own id of what the delivery created. */
function externalIdOf(text: string): string | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    return (typeof id === 'string' && id !== '') || typeof id === 'number'
      ? String(id).slice(0, MAX_ID_LENGTH)
      : null;
  } catch {
    return null;
  }
}

/** All three HTTP date formats begin with a day of the week. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** The delay that a `Retry-After` header asks for, in seconds or until a date; null if it is neither. */
function retryAfterMs(header: string, nowAt: number): number | null {
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  if (!HTTP_DATE.test(text)) return null;
  // The asctime format names no time zone. Like the other two formats, it is in GMT.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, Math.round(at - nowAt));
}
