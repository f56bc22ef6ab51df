import type { Plan } from './plan.js';
/**
 * The delay after a failed attempt: base · 2^(attempt − 1), at most the cap, plus up to a tenth with jitter. `random`
 * is in [0, 1). A delay that the receiver asked for wins, within the cap.
 */
export declare function retryDelayMs(retry: Plan['retry'], { attempt, random, retryAfterMs }: {
    attempt: number;
    random: number;
    retryAfterMs: number | null;
}): number;
