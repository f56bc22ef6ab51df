import type { CarillonError } from './carillon-error.js';

const BASE_MS = 250;
const LONGEST_MS = 8_000;
/** Whoever is asked to wait longer than this would rather know. */
const LONGEST_ASKED_MS = 60_000;

/**
 * How long to wait before try number `tries + 1`, or null where another try would not do any good, or could do a thing
 * twice. `random` is between 0 and 1: clients that failed together do not come back together.
 */
export function retryDelay(
  error: CarillonError,
  { tries, isRepeatable, random }: { tries: number; isRepeatable: boolean; random: number },
): number | null {
  if (!isTransient(error, isRepeatable)) return null;
  const ceiling = Math.min(LONGEST_MS, BASE_MS * 2 ** (tries - 1));
  const backOffMs = ceiling / 2 + (ceiling / 2) * random;
  const askedMs = error.retryAfterMs ?? 0;
  return askedMs > LONGEST_ASKED_MS ? null : Math.max(askedMs, backOffMs);
}

function isTransient({ kind, status }: CarillonError, isRepeatable: boolean): boolean {
  // 429 and 503 say that nothing was done, so whatever it was may be asked for again.
  if (kind === 'refused') return status === 429 || status === 503 || (isRepeatable && isGateway(status));
  return isRepeatable && kind !== 'unreadable';
}

/** What stands between us and the API got no answer from it, or lost it. */
const isGateway = (status: number | null) => status === 502 || status === 504;

/** Retry-After holds seconds or a date. */
export function readRetryAfter(text: string | null, nowAt: number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowAt);
}
