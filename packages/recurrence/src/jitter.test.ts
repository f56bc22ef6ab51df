import { describe, expect, it } from 'vitest';
import { jitterMs } from './jitter.js';

describe('jitter', () => {
  it('the jitter (delay) of an occurrence is the same each time it is computed, so all workers agree on it', () => {
    expect(jitterMs('invoice-42', 1_770_000_000_000, 60_000)).toBe(
      jitterMs('invoice-42', 1_770_000_000_000, 60_000),
    );
    expect(jitterMs('invoice-42', 1_770_000_000_000, 0)).toBe(0);
  });

  it('jitter spreads schedules and occurrences evenly over its range', () => {
    const bySchedule = Array.from({ length: 10_000 }, (_, i) =>
      jitterMs(`user-${i}`, 1_770_000_000_000, 999),
    );
    const byOccurrence = Array.from({ length: 10_000 }, (_, i) =>
      jitterMs('user', 1_770_000_000_000 + i * 1000, 999),
    );
    for (const spread of [bySchedule, byOccurrence]) {
      const tenths = Array.from(
        { length: 10 },
        (_, n) => spread.filter((ms) => Math.floor(ms / 100) === n).length,
      );
      expect(Math.min(...tenths)).toBeGreaterThan(850);
      expect(Math.max(...tenths)).toBeLessThan(1150);
    }
  });

  it('jitter reaches both ends of its range and never exceeds it', () => {
    const spread = Array.from({ length: 1000 }, (_, i) => jitterMs(`user-${i}`, 0, 3));
    expect(new Set(spread)).toEqual(new Set([0, 1, 2, 3]));
  });
});
