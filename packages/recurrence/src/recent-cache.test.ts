import { describe, expect, it } from 'vitest';
import { RecentCache } from './recent-cache.js';

describe('recent cache', () => {
  it('a RecentCache computes a value once, even if the value is null', () => {
    const cache = new RecentCache<string, number | null>(10);
    let made = 0;
    const ask = () =>
      cache.get('a', () => {
        made += 1;
        return null;
      });
    expect([ask(), ask()]).toEqual([null, null]);
    expect(made).toBe(1);
  });

  it('a RecentCache drops old entries and keeps an entry that is read all the time', () => {
    const cache = new RecentCache<number, number>(10);
    const made: number[] = [];
    const ask = (key: number) => cache.get(key, () => made.push(key));
    for (let key = 1; key <= 1000; key++) {
      ask(key);
      ask(0);
    }
    expect(made.filter((key) => key === 0)).toHaveLength(1);
    made.length = 0;
    for (let key = 1; key <= 1000; key++) ask(key);
    expect(made.length).toBeGreaterThan(970);
  });

  it('a RecentCache never holds more than twice its byte limit, once for each of its two generations', () => {
    const cache = new RecentCache<number, string>({
      maxEntries: 1000,
      maxBytes: 10_000,
      bytesOf: (_key, text) => text.length,
    });
    let highest = 0;
    for (let key = 0; key < 500; key++) {
      cache.get(key, () => 'x'.repeat((key * 37) % 4000));
      highest = Math.max(highest, cache.bytes);
    }
    expect(highest).toBeGreaterThan(10_000);
    expect(highest).toBeLessThanOrEqual(20_000);
  });

  it('a RecentCache does not keep an entry that is larger than its byte limit', () => {
    const cache = new RecentCache<string, string>({
      maxEntries: 10,
      maxBytes: 100,
      bytesOf: (_key, text) => text.length,
    });
    cache.get('small', () => 'x'.repeat(60));
    cache.get('large', () => 'x'.repeat(101));
    expect(cache.bytes).toBe(60);
  });
});
