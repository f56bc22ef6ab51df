import type { Answer, Outcome } from '../outcome.js';

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
  const answer: Answer = {
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
