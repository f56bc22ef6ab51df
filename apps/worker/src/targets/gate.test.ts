import { describe, expect, it } from 'vitest';
import { Gate } from './gate.js';
import { RateLimit } from './rate-limit.js';

const never = new AbortController().signal;

describe('A gate', () => {
  it('lets as many in as its limit, and hands a place on', async () => {
    const gate = new Gate({ limit: 2, mostWaiting: 10 });
    expect(await Promise.all([gate.enter(0, never), gate.enter(0, never)])).toEqual([0, 0]);
    const third = gate.enter(1_000, never);
    gate.leave(5);
    expect(await third).toBe(0);
    gate.leave(5);
    gate.leave(5);
    expect(gate.isIdle).toBe(true);
  });

  it('tells who finds it full when to come back, one after the other', async () => {
    const gate = new Gate({ limit: 1, mostWaiting: 0 });
    await gate.enter(0, never);
    const returns = await Promise.all(Array.from({ length: 5 }, () => gate.enter(0, never)));
    expect(returns[0]).toBeGreaterThanOrEqual(1_000);
    expect(returns).toEqual(returns.toSorted((a, b) => a - b));
    expect(new Set(returns).size).toBe(5);
  });

  it('lets nobody wait longer than their patience, nor more than may', async () => {
    const gate = new Gate({ limit: 1, mostWaiting: 1 });
    await gate.enter(0, never);
    const startedAt = performance.now();
    const [patient, surplus] = await Promise.all([gate.enter(50, never), gate.enter(60_000, never)]);
    expect(patient).toBeGreaterThan(0);
    expect(surplus).toBeGreaterThan(0);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('lets nobody wait where nobody has left for as long as they would wait', async () => {
    const gate = new Gate({ limit: 1, mostWaiting: 10 });
    await gate.enter(0, never);
    await new Promise((resolve) => setTimeout(resolve, 60));
    const startedAt = performance.now();
    expect(await gate.enter(50, never)).toBeGreaterThan(0);
    expect(performance.now() - startedAt).toBeLessThan(40);
  });

  it('lets go of who is told to stop, and their place is not lost', async () => {
    const gate = new Gate({ limit: 1, mostWaiting: 2 });
    await gate.enter(0, never);
    const abort = new AbortController();
    const stopped = gate.enter(60_000, abort.signal);
    const next = gate.enter(60_000, never);
    abort.abort('shutdown');
    await expect(stopped).rejects.toBe('shutdown');
    gate.leave(1);
    expect(await next).toBe(0);
  });
});

describe('A rate limit', () => {
  it('lets a second’s worth through at once, then one at a time', () => {
    const limit = new RateLimit(10);
    const at = (now: number) => limit.take(now) === 0;
    expect(Array.from({ length: 30 }, () => at(10_000)).filter(Boolean)).toHaveLength(11);
    expect(Array.from({ length: 30 }, () => at(10_100)).filter(Boolean)).toHaveLength(1);
    expect(Array.from({ length: 30 }, () => at(60_000)).filter(Boolean)).toHaveLength(11);
  });
});
