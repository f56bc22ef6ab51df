import { describe, expect, it } from 'vitest';
import { SequenceProgress } from './sequence-progress.js';

describe('SequenceProgress', () => {
  it('a row with a number from a sequence is read again for 3 s, because the row of a smaller number may be committed later', () => {
    const progress = new SequenceProgress(10);
    progress.advance(15, 1_000, 3_000);
    expect([progress.floor, progress.highest]).toEqual([10, 15]);
    progress.advance(15, 3_999, 3_000);
    expect(progress.floor).toBe(10);
    progress.advance(20, 4_000, 3_000);
    expect([progress.floor, progress.highest]).toEqual([15, 20]);
  });

  it('a row with a number from a sequence is found by a later poll if it is committed after the row of a larger number', () => {
    const progress = new SequenceProgress(0);
    progress.advance(8, 0, 3_000);
    // Number 5 was drawn from the sequence before 8, but its transaction commits after the first poll.
    expect(progress.floor).toBeLessThan(5);
    progress.advance(5, 100, 3_000);
    expect(progress.highest).toBe(8);
  });

  it('if the time for which polls read the rows of a sequence again is zero, each row is read once', () => {
    const progress = new SequenceProgress(0);
    progress.advance(5, 1_000, 0);
    expect(progress.floor).toBe(5);
  });
});
