import type { Answer, Outcome } from '../outcome.js';
import { retryAfterMs } from './retry-after.js';

/** What a receiver answered, read as far as it is kept. */
export interface HttpAnswer {
  status: number;
  retryAfter: string | null;
  /** The first 16 KiB at most. */
  text: string;
}

/** Below 500, those that say "not now" rather than "not this". */
const RETRIED = new Set([408, 425, 429]);

/**
 * What an HTTP answer means. 2xx is a success; 5xx and a few others may pass; every other 4xx and any redirect is final,
 * for what would follow a redirect could lead anywhere. 410 says that there is nobody any more.
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

/** Whether an outcome speaks against the origin as a whole: it broke, or was not there. A 4xx is about the request. */
export function isOriginFailure(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.isTransient && (outcome.answer?.httpStatus ?? 500) >= 500;
}

const LONGEST_ID = 256;

/** The `id` of a JSON answer: what the receiver calls the thing that it made of the delivery. */
function externalIdOf(text: string): string | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    return (typeof id === 'string' && id !== '') || typeof id === 'number'
      ? String(id).slice(0, LONGEST_ID)
      : null;
  } catch {
    return null;
  }
}
