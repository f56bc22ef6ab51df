import { describe, expect, it } from 'vitest';
import { retryDelayMs } from './retry.js';
const RETRY = { maxAttempts: 5, baseDelayMs: 60_000, maxDelayMs: 3_600_000, jitter: false };
const delay = (attempt, retry = RETRY, { random = 0, retryAfterMs = null } = {}) => retryDelayMs(retry, { attempt, random, retryAfterMs });
describe('retry delay', () => {
    it('the retry delay doubles from its base: 60, 120, 240 seconds', () => {
        expect([1, 2, 3].map((attempt) => delay(attempt))).toEqual([60_000, 120_000, 240_000]);
    });
    it('the retry delay stays within the cap after any number of attempts', () => {
        expect(delay(7)).toBe(3_600_000);
        expect(delay(100)).toBe(3_600_000);
    });
    it('the retry delay grows by up to a tenth with jitter', () => {
        const retry = { ...RETRY, jitter: true };
        expect(delay(1, retry, { random: 0 })).toBe(60_000);
        expect(delay(1, retry, { random: 0.999_999 })).toBe(66_000);
    });
    it('the retry delay is the one that the receiver asked for, within the cap', () => {
        expect(delay(1, RETRY, { retryAfterMs: 5_000 })).toBe(5_000);
        expect(delay(1, RETRY, { retryAfterMs: 86_400_000 })).toBe(3_600_000);
    });
});
//# sourceMappingURL=retry.test.js.map