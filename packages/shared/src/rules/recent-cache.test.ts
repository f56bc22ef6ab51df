import { describe, expect, it } from 'vitest';
import { RecentCache } from './recent-cache.js';

describe('a cache of recent answers', () => {
  it('makes an answer once, also one that is null', () => {
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

  it('never holds more than two generations, and keeps what is asked for all the time', () => {
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
});
