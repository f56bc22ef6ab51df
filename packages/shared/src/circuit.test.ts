import { describe, expect, it } from 'vitest';
import { Circuit } from './circuit.js';

const opened = () => {
  const circuit = new Circuit(10_000);
  for (let n = 0; n < 20; n++) circuit.failed(false, 0);
  return circuit;
};

describe('Circuit', () => {
  it('a circuit breaker opens with the twentieth failure in a row, not before', () => {
    const circuit = new Circuit(10_000);
    const answers = Array.from({ length: 20 }, () => circuit.failed(false, 0));
    expect(answers.indexOf(true)).toBe(19);
    expect(circuit.waitMs(4_000)).toBe(6_000);
  });

  it('a success resets the count of failures after which a circuit breaker opens', () => {
    const circuit = new Circuit(10_000);
    for (let n = 0; n < 100; n++) {
      circuit.failed(false, 0);
      if (n % 19 === 18) circuit.succeeded();
    }
    expect(circuit.waitMs(0)).toBe(0);
  });

  it('an open circuit breaker lets one delivery through as a probe after its wait, and other deliveries keep waiting', () => {
    const circuit = opened();
    expect(circuit.waitMs(10_000)).toBe(0);
    expect(circuit.begin()).toBe(true);
    expect(circuit.waitMs(10_000)).toBeGreaterThan(0);
  });

  it('a circuit breaker closes when the delivery that probes it succeeds', () => {
    const circuit = opened();
    circuit.begin();
    circuit.succeeded();
    expect(circuit.waitMs(10_001)).toBe(0);
    expect(circuit.begin()).toBe(false);
  });

  it('a circuit breaker waits twice as long after each probe (trial delivery) that fails, up to two minutes', () => {
    const circuit = opened();
    const waits = Array.from({ length: 6 }, () => {
      circuit.failed(circuit.begin(), 0);
      return circuit.waitMs(0);
    });
    expect(waits).toEqual([20_000, 40_000, 80_000, 120_000, 120_000, 120_000]);
  });

  it('failures of deliveries that were in flight when a circuit breaker opened do not prolong its wait', () => {
    const circuit = opened();
    circuit.failed(false, 9_000);
    expect(circuit.waitMs(9_000)).toBe(1_000);
  });

  it('the time for which a circuit breaker has been open includes the time of its failed probes', () => {
    const circuit = opened();
    circuit.failed(circuit.begin(), 50_000);
    expect(circuit.openForMs(60_000)).toBe(60_000);
    circuit.succeeded();
    expect(circuit.openForMs(60_000)).toBe(0);
  });

  it('after the delivery that probes a circuit breaker was aborted, the next delivery becomes the probe', () => {
    const circuit = opened();
    circuit.aborted(circuit.begin());
    expect(circuit.waitMs(10_000)).toBe(0);
  });

  it('an open circuit breaker counts as holding deliveries back only while deliveries that it deferred can still be tried again', () => {
    const circuit = opened();
    expect(circuit.isHoldingBack(10_001)).toBe(true);
    expect(circuit.isHoldingBack(30_000)).toBe(false);
  });
});
