import { describe, expect, it } from 'vitest';
import { type CircuitChange, Circuits } from './circuits.js';
import type { Outcome } from './outcome.js';

const KEY = '1 https://example.com';

const SUCCEEDED: Outcome = { kind: 'succeeded' };
const SERVER_ERROR: Outcome = {
  kind: 'failed',
  isTransient: true,
  errorCode: 'http_500',
  error: 'the receiver answered 500',
  answer: { httpStatus: 500, response: null, externalId: null },
};
const NOT_FOUND: Outcome = {
  kind: 'failed',
  isTransient: false,
  errorCode: 'http_404',
  error: 'the receiver answered 404',
  answer: { httpStatus: 404, response: null, externalId: null },
};
const BLOCKED: Outcome = {
  kind: 'failed',
  isTransient: false,
  errorCode: 'blocked_address',
  error: '10.0.0.1 is a private address',
};
const DEFERRED: Outcome = { kind: 'deferred', retryInMs: 1, reasonCode: 'names_busy', reason: 'busy' };

/** One circuit breaker of `Circuits`, with the changes that it reported. */
function circuitOf({ giveUpAfterMs = 86_400_000 } = {}) {
  const changes: CircuitChange['kind'][] = [];
  const circuits = new Circuits({
    openMs: 10_000,
    giveUpAfterMs,
    onChange: ({ kind }) => changes.push(kind),
  });
  return {
    changes,
    begin: (now: number) => circuits.begin(KEY, now),
    end: (outcome: Outcome, isProbe: boolean, now: number) => circuits.end(KEY, outcome, { isProbe, now }),
    /** Begins a delivery and ends it at once. Returns true if it was the probe. */
    deliver(outcome: Outcome, now: number) {
      const isProbe = circuits.begin(KEY, now);
      circuits.end(KEY, outcome, { isProbe, now });
      return isProbe;
    },
    refusal: (now: number) => circuits.refusal(KEY, { origin: 'https://example.com', now, random: () => 0 }),
    /** The time for which a delivery has to wait; 0 if it may be sent now. */
    waitMs(now: number) {
      const refused = this.refusal(now);
      return refused?.kind === 'deferred' ? refused.retryInMs : 0;
    },
    isHoldingBack: (now: number) => circuits.holdingBack(now).includes(KEY),
  };
}

function opened(options?: { giveUpAfterMs: number }) {
  const circuit = circuitOf(options);
  for (let n = 0; n < 20; n++) circuit.deliver(SERVER_ERROR, 0);
  return circuit;
}

describe('Circuits', () => {
  it('a circuit breaker opens with the twentieth failure in a row, not before', () => {
    const circuit = circuitOf();
    for (let n = 0; n < 19; n++) circuit.deliver(SERVER_ERROR, 0);
    expect(circuit.changes).toEqual([]);
    circuit.deliver(SERVER_ERROR, 0);
    expect(circuit.changes).toEqual(['opened']);
    expect(circuit.waitMs(4_000)).toBe(6_000);
  });

  it.each([
    ['a success', SUCCEEDED],
    ['an answer that refuses the request', NOT_FOUND],
  ])('%s resets the count of failures after which a circuit breaker opens', (_, outcome) => {
    const circuit = circuitOf();
    for (let n = 0; n < 100; n++) {
      circuit.deliver(SERVER_ERROR, 0);
      if (n % 19 === 18) circuit.deliver(outcome, 0);
    }
    expect(circuit.waitMs(0)).toBe(0);
  });

  it.each([
    ['whose address is not allowed', BLOCKED],
    ['that is deferred', DEFERRED],
  ])(
    'a delivery %s does not reset the count of failures after which a circuit breaker opens',
    (_, outcome) => {
      const circuit = circuitOf();
      for (let n = 0; n < 20; n++) {
        circuit.deliver(outcome, 0);
        circuit.deliver(SERVER_ERROR, 0);
      }
      expect(circuit.changes).toEqual(['opened']);
    },
  );

  it('an open circuit breaker lets one delivery through as a probe after its wait, and other deliveries keep waiting', () => {
    const circuit = opened();
    expect(circuit.waitMs(10_000)).toBe(0);
    expect(circuit.begin(10_000)).toBe(true);
    expect(circuit.waitMs(10_000)).toBeGreaterThan(0);
  });

  it('a circuit breaker closes when the delivery that probes it succeeds', () => {
    const circuit = opened();
    circuit.deliver(SUCCEEDED, 10_000);
    expect(circuit.changes).toEqual(['opened', 'half_open', 'closed']);
    expect(circuit.waitMs(10_001)).toBe(0);
    expect(circuit.begin(10_001)).toBe(false);
  });

  it('a circuit breaker waits twice as long after each probe (trial delivery) that fails, up to two minutes', () => {
    const circuit = opened();
    let now = 10_000;
    const waits = Array.from({ length: 6 }, () => {
      expect(circuit.deliver(SERVER_ERROR, now)).toBe(true);
      const waitMs = circuit.waitMs(now);
      now += waitMs;
      return waitMs;
    });
    expect(waits).toEqual([20_000, 40_000, 80_000, 120_000, 120_000, 120_000]);
  });

  it('failures of deliveries that were in flight when a circuit breaker opened do not prolong its wait', () => {
    const circuit = opened();
    circuit.end(SERVER_ERROR, false, 9_000);
    expect(circuit.waitMs(9_000)).toBe(1_000);
  });

  it('a failed probe does not restart the time after which deliveries to a failing origin fail for good', () => {
    const circuit = opened({ giveUpAfterMs: 60_000 });
    circuit.deliver(SERVER_ERROR, 50_000);
    expect(circuit.refusal(60_000)).toMatchObject({ kind: 'deferred' });
    expect(circuit.refusal(60_001)).toMatchObject({ kind: 'failed', errorCode: 'circuit_open' });
  });

  it.each([
    ['was deferred', DEFERRED],
    ['was handed back by its worker', { kind: 'handed_back' } satisfies Outcome],
    ['has an address that is not allowed', BLOCKED],
  ])(
    'a delivery that probes a circuit breaker and %s leaves the circuit open, and the next delivery is the probe',
    (_, outcome) => {
      const circuit = opened();
      expect(circuit.deliver(outcome, 10_000)).toBe(true);
      expect(circuit.changes).toEqual(['opened', 'half_open']);
      expect(circuit.waitMs(10_000)).toBe(0);
      expect(circuit.begin(10_000)).toBe(true);
    },
  );

  it('an open circuit breaker counts as holding deliveries back only until the time by which every deferred delivery is tried again', () => {
    const circuit = opened();
    expect(circuit.isHoldingBack(10_001)).toBe(true);
    expect(circuit.isHoldingBack(30_000)).toBe(false);
  });
});
