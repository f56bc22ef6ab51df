import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gate, RateLimit } from './gate.js';

// Time passes only when a test advances it, however busy the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

describe('Gate', () => {
  it('a gate admits as many concurrent deliveries as its limit, and when one of them ends, the next waiting delivery', async () => {
    const gate = new Gate(2);
    expect(await Promise.all([gate.enter(0, never), gate.enter(0, never)])).toEqual([0, 0]);
    const third = gate.enter(1_000, never);
    gate.leave(5);
    expect(await third).toBe(0);
    gate.leave(5);
    gate.leave(5);
    expect(gate.isIdle).toBe(true);
  });

  it('deliveries beyond the limit of concurrent deliveries are deferred by different delays, so that they do not all come back at once', async () => {
    const gate = new Gate(1);
    await gate.enter(0, never);
    const returns = await Promise.all(Array.from({ length: 5 }, () => gate.enter(0, never)));
    expect(returns[0]).toBeGreaterThanOrEqual(1_000);
    expect(returns).toEqual(returns.toSorted((a, b) => a - b));
    expect(new Set(returns).size).toBe(5);
  });

  it('a delivery that waits because the limit of concurrent deliveries is reached is deferred when its maximum wait is over', async () => {
    const gate = new Gate(1);
    await gate.enter(0, never);
    const sentAway = vi.fn();
    void gate.enter(50, never).then(sentAway);
    await vi.advanceTimersByTimeAsync(49);
    expect(sentAway).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(sentAway).toHaveBeenCalledExactlyOnceWith(expect.toSatisfy((returnInMs) => returnInMs > 0));
  });

  it.each([
    [10, 100],
    [100, 10],
  ])(
    'with a limit of one concurrent delivery and %i ms per delivery, only %i deliveries wait and the others are deferred, so that no wait exceeds a second',
    async (tookMs, most) => {
      const gate = new Gate(1);
      for (let i = 0; i < 100; i++) {
        await gate.enter(0, never);
        gate.leave(tookMs);
      }
      await gate.enter(0, never);
      const stop = new AbortController();
      const entering = Array.from({ length: 200 }, () => gate.enter(1_000, stop.signal));
      stop.abort();
      const waited = (await Promise.allSettled(entering)).filter(({ status }) => status === 'rejected');
      expect(waited).toHaveLength(most);
    },
  );

  it('if the limit of concurrent deliveries is reached and none has ended for 60 ms, a delivery that may wait 50 ms is deferred at once', async () => {
    const gate = new Gate(1);
    await gate.enter(0, never);
    vi.advanceTimersByTime(60);
    // The fake clock does not advance here, so `enter` must resolve without waiting.
    expect(await gate.enter(50, never)).toBeGreaterThan(0);
  });

  it('a delivery that is aborted while it waits for a limit of concurrent deliveries leaves the queue, and the next one still gets its turn', async () => {
    const gate = new Gate(1);
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

describe('Rate limit', () => {
  it('a rate limit of 10 a second admits a burst of 11 deliveries, then one every 100 ms', () => {
    const limit = new RateLimit(10);
    const at = (now: number) => limit.take(now) === 0;
    expect(Array.from({ length: 30 }, () => at(10_000)).filter(Boolean)).toHaveLength(11);
    expect(Array.from({ length: 30 }, () => at(10_100)).filter(Boolean)).toHaveLength(1);
    expect(Array.from({ length: 30 }, () => at(60_000)).filter(Boolean)).toHaveLength(11);
  });
});
