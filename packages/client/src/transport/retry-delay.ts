import type { CarillonError } from './carillon-error.js';

const BASE_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;
/** A longer Retry-After is reported to the caller instead of being waited for. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Returns the delay before the next attempt, or null if a retry would not help or could apply a change twice. `random`,
 * between 0 and 1, is the jitter that keeps clients from retrying all at once.
 */
export function retryDelay(
  error: CarillonError,
  { tries, isRepeatable, random }: { tries: number; isRepeatable: boolean; random: number },
): number | null {
  if (!isTransient(error, isRepeatable)) return null;
  const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (tries - 1));
  const backOffMs = ceiling / 2 + (ceiling / 2) * random;
  const askedMs = error.retryAfterMs ?? 0;
  return askedMs > MAX_RETRY_AFTER_MS ? null : Math.max(askedMs, backOffMs);
}

function isTransient({ kind, status, code }: CarillonError, isRepeatable: boolean): boolean {
  if (kind !== 'refused') return isRepeatable && kind !== 'unreadable';
  // For these errors, the API guarantees that nothing was changed.
  if (status === 429 || code === 'database_unavailable' || code === 'stopping') return true;
  return isRepeatable && status !== null && OUTCOME_UNKNOWN.includes(status);
}

/** After these statuses, of the API or of a gateway in front of it, the change may have been made. */
const OUTCOME_UNKNOWN: readonly number[] = [502, 503, 504];

/** Parses Retry-After, which holds seconds or an HTTP date. */
export function readRetryAfter(text: string | null, nowAt: number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowAt);
}
