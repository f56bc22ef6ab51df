import type { Outcome } from '@carillon/shared';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../metrics.js';
import { Traffic } from './traffic.js';

// Time passes only when a test advances it, however busy the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const FAILED: Outcome = {
  kind: 'failed',
  isTransient: true,
  errorCode: 'http_500',
  error: 'the receiver answered 500',
};

function trafficOf(giveUpAfterMs: number, originConcurrency = 100) {
  return new Traffic({
    settings: { trafficOf: async () => ({ rate: null, gate: null }) },
    originConcurrency,
    circuitOpenMs: 10_000,
    giveUpAfterMs,
    metrics: new Metrics(),
    log: pino({ level: 'silent' }),
  });
}

const passage = (projectId = 1, origin = 'https://example.com') => {
  const { signal } = new AbortController();
  return { projectId, origin, timeoutMs: 1_000, signal };
};

async function failTwenty(traffic: Traffic) {
  for (let n = 0; n < 20; n++) await traffic.pass(passage(), async () => FAILED);
}

describe('Circuit of an origin', () => {
  it('if the deliveries of one project to one origin keep failing, the circuit breaker defers deliveries of this project to this origin, and no others', async () => {
    const traffic = trafficOf(60_000);
    await failTwenty(traffic);
    const succeed = async (): Promise<Outcome> => ({ kind: 'succeeded' });
    expect(await traffic.pass(passage(), succeed)).toMatchObject({
      kind: 'deferred',
      reasonCode: 'circuit_open',
    });
    expect(await traffic.pass(passage(2), succeed)).toEqual({ kind: 'succeeded' });
    expect(await traffic.pass(passage(1, 'https://example.org'), succeed)).toEqual({ kind: 'succeeded' });
  });

  it('deliveries that an open circuit breaker defers come back at different times, not all at one instant', async () => {
    const traffic = trafficOf(60_000);
    await failTwenty(traffic);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => traffic.pass(passage(), async () => FAILED)),
    );
    const delays = outcomes.map((outcome) => (outcome.kind === 'deferred' ? outcome.retryInMs : 0));
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(3_000);
  });

  it('if the probe of an open circuit breaker (one test delivery) is deferred before it sends anything, the circuit stays open and the next delivery is the probe', async () => {
    const traffic = trafficOf(60_000);
    await failTwenty(traffic);
    vi.advanceTimersByTime(10_001);
    const deferred: Outcome = { kind: 'deferred', retryInMs: 1, reasonCode: 'names_busy', reason: 'busy' };
    expect(await traffic.pass(passage(), async () => deferred)).toEqual(deferred);
    expect(traffic.openCircuits()).toEqual(['1 https://example.com']);
    expect(await traffic.pass(passage(), async () => ({ kind: 'succeeded' }))).toEqual({ kind: 'succeeded' });
    expect(traffic.openCircuits()).toEqual([]);
  });

  it('deliveries to an origin that has failed for longer than giveUpAfterMs fail instead of being deferred', async () => {
    const traffic = trafficOf(0);
    await failTwenty(traffic);
    vi.advanceTimersByTime(5);
    expect(await traffic.pass(passage(), async () => FAILED)).toMatchObject({
      kind: 'failed',
      isTransient: false,
      errorCode: 'circuit_open',
    });
  });
});

describe('Backpressure', () => {
  /** The backpressure while this many deliveries to one origin are under way and none of them ends. */
  async function backpressureOf(traffic: Traffic, count: number, stillForMs = 0) {
    let end = () => {};
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    const send = async (): Promise<Outcome> => {
      await isOver;
      return { kind: 'succeeded' };
    };
    const all = Array.from({ length: count }, () => traffic.pass({ ...passage(), timeoutMs: 60_000 }, send));
    await new Promise(setImmediate);
    vi.advanceTimersByTime(stillForMs);
    const backpressure = traffic.backpressure();
    end();
    await Promise.all(all);
    return backpressure;
  }

  it('a worker pauses its claims while more deliveries wait for a fast origin than the origin takes in a second', async () => {
    expect(await backpressureOf(trafficOf(60_000), 1_500)).not.toBeNull();
  });

  it('a worker that pauses its claims for a busy origin goes on if no delivery has ended for 200 ms, because the origin then counts as slow', async () => {
    expect(await backpressureOf(trafficOf(60_000), 1_500, 199)).not.toBeNull();
    expect(await backpressureOf(trafficOf(60_000), 1_500, 201)).toBeNull();
  });

  it('a worker does not pause its claims while fewer deliveries wait for an origin than the origin takes in a second', async () => {
    expect(await backpressureOf(trafficOf(60_000), 600)).toBeNull();
  });

  it('a worker does not pause its claims because of a slow origin, so that runs for other origins are not late', async () => {
    expect(await backpressureOf(trafficOf(60_000, 4), 1_500)).toBeNull();
  });
});
