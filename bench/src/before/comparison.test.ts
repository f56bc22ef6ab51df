import { describe, expect, it } from 'vitest';
import { compareRounds } from './comparison.js';

const compare = (now: number[], before: number[]) =>
  compareRounds('fires a second', {
    now: { samples: now },
    before: { samples: before },
    figureOf: (sample) => sample,
  });

describe('comparison with an earlier commit', () => {
  it('a benchmark of two commits divides their figures round by round, and reports the median of these ratios', () => {
    expect(compare([20, 30, 90], [10, 10, 60])).toEqual([
      'fires a second: 2× the commit before (by round: 2×, 3×, 1.5×)',
    ]);
  });

  it('a benchmark of two commits reports no ratio if one of them produced wrong results', () => {
    expect(compare([], [10, 10])).toEqual([]);
    expect(compare([10, 10], [])).toEqual([]);
  });
});
