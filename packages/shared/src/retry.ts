import type { Plan } from './plan.js';

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
