import { describe, expect, it } from 'vitest';
import { TokenBuckets } from './token-buckets.js';

describe('Token buckets', () => {
  it('a token bucket holds one minute’s worth of tokens and refills continuously', () => {
    let now = 0;
    const buckets = new TokenBuckets<string>({ now: () => now });
    expect([1, 2, 3].map(() => buckets.take('a', 2).isTaken)).toEqual([true, true, false]);
    expect(buckets.peek('a', 2).waitMs).toBe(30_000);
    now = 30_000;
    expect([1, 2].map(() => buckets.take('a', 2).isTaken)).toEqual([true, false]);
    now = 600_000;
    expect(buckets.peek('a', 2).tokens).toBe(2);
  });

  it('the token bucket of an owner that is being limited stays empty, even if 30,000 other owners take tokens from theirs meanwhile', () => {
    const buckets = new TokenBuckets<number>({ now: () => 0 });
    for (let owner = 1; owner <= 30_000; owner++) {
      buckets.take(owner, 5);
      buckets.take(0, 3);
    }
    expect(buckets.peek(0, 3).tokens).toBe(0);
  });
});
