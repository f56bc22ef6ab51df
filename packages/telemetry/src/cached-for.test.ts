import { describe, expect, it } from 'vitest';
import { cachedFor } from './cached-for.js';

describe('cachedFor', () => {
  it('concurrent callers share one cached read, which is repeated after its TTL', async () => {
    let reads = 0;
    let now = 0;
    const read = cachedFor(
      1_000,
      async () => ++reads,
      () => now,
    );
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    now = 999;
    expect(await read()).toBe(1);
    now = 1_000;
    expect(await read()).toBe(2);
  });

  it('if a cached read fails, its error is not cached, and the next caller reads again', async () => {
    let reads = 0;
    const read = cachedFor(
      1_000,
      async () => {
        if (++reads === 1) throw new Error('away');
        return reads;
      },
      () => 0,
    );
    await expect(read()).rejects.toThrow('away');
    expect(await read()).toBe(2);
  });
});
