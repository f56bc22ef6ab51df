import { describe, expect, it } from 'vitest';
import { SequenceProgress } from './sequence-progress.js';

describe('SequenceProgress', () => {
  it('SequenceProgress reads the numbers of the last 3 s again, because a smaller number may commit after a larger one', () => {
    const progress = new SequenceProgress(10);
    progress.advance(15, 1_000, 3_000);
    expect([progress.floor, progress.highest]).toEqual([10, 15]);
    progress.advance(15, 3_999, 3_000);
    expect(progress.floor).toBe(10);
    progress.advance(20, 4_000, 3_000);
    expect([progress.floor, progress.highest]).toEqual([15, 20]);
  });

  it('SequenceProgress still finds a number that commits after a larger one', () => {
    const progress = new SequenceProgress(0);
    progress.advance(8, 0, 3_000);
    // Number 5 was drawn before 8, but its transaction commits after the first poll.
    expect(progress.floor).toBeLessThan(5);
    progress.advance(5, 100, 3_000);
    expect(progress.highest).toBe(8);
  });

  it('SequenceProgress reads each number only once if its settling time is zero', () => {
    const progress = new SequenceProgress(0);
    progress.advance(5, 1_000, 0);
    expect(progress.floor).toBe(5);
  });
});
