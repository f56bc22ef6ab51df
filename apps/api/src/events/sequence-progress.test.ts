import { describe, expect, it } from 'vitest';
import { SequenceProgress } from './sequence-progress.js';

const at = (milliseconds: number) => ({ startedAt: milliseconds, endedAt: milliseconds, isFull: false });

describe('SequenceProgress', () => {
  it('after a poll has read a number of a sequence, polls still look for smaller numbers for 3 s, because a smaller number may commit after a larger one', () => {
    const progress = new SequenceProgress(10, 3_000);
    progress.advance([13, 15], at(1_000));
    expect([progress.floor, progress.alreadyRead]).toEqual([10, [13, 15]]);
    progress.advance([], at(3_999));
    expect(progress.floor).toBe(10);
    progress.advance([20], at(4_000));
    expect([progress.floor, progress.alreadyRead]).toEqual([15, [20]]);
  });

  it('a poll still finds a number of a sequence whose transaction commits after the transaction with a larger number', () => {
    const progress = new SequenceProgress(0, 3_000);
    progress.advance([8], at(0));
    // Number 5 was drawn from the sequence before 8, but its transaction commits after the first poll.
    expect(progress.floor).toBeLessThan(5);
    progress.advance([5], at(100));
    expect(progress.alreadyRead).toEqual([8, 5]);
    progress.advance([], at(3_000));
    expect([progress.floor, progress.alreadyRead]).toEqual([8, []]);
  });

  it('the 3 s in which polls look for smaller numbers of a sequence begin when the poll that read the larger number ends', () => {
    const progress = new SequenceProgress(0, 3_000);
    progress.advance([8], { startedAt: 0, endedAt: 5_000, isFull: false });
    progress.advance([], { startedAt: 5_300, endedAt: 9_000, isFull: false });
    expect(progress.floor).toBe(0);
    progress.advance([], { startedAt: 9_300, endedAt: 9_301, isFull: false });
    expect(progress.floor).toBe(8);
  });

  it('if a poll stops at its page limit, later polls still look for numbers of the sequence above the last one that it read', () => {
    const progress = new SequenceProgress(0, 3_000);
    progress.advance([8], at(0));
    progress.advance([3, 5], { ...at(3_000), isFull: true });
    // The page was full after number 5. So number 6 may exist, although no poll has read it.
    expect([progress.floor, progress.isUnread(6)]).toEqual([0, true]);
    progress.advance([6], at(3_300));
    expect([progress.floor, progress.isUnread(6)]).toEqual([8, false]);
  });
});
