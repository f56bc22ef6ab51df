import { describe, expect, it } from 'vitest';
import { Circuit } from './circuit.js';

const opened = () => {
  const circuit = new Circuit(10_000);
  for (let n = 0; n < 20; n++) circuit.failed(false, 0);
  return circuit;
};

describe('A circuit', () => {
  it('opens with the twentieth failure in a row, not before', () => {
    const circuit = new Circuit(10_000);
    const answers = Array.from({ length: 20 }, () => circuit.failed(false, 0));
    expect(answers.indexOf(true)).toBe(19);
    expect(circuit.waitMs(4_000)).toBe(6_000);
  });

  it('counts failures in a row only', () => {
    const circuit = new Circuit(10_000);
    for (let n = 0; n < 100; n++) {
      circuit.failed(false, 0);
      if (n % 19 === 18) circuit.succeeded();
    }
    expect(circuit.waitMs(0)).toBe(0);
  });

  it('lets one probe through after its time, and the others wait for it', () => {
    const circuit = opened();
    expect(circuit.waitMs(10_000)).toBe(0);
    expect(circuit.begin()).toBe(true);
    expect(circuit.waitMs(10_000)).toBeGreaterThan(0);
  });

  it('closes when the probe succeeds', () => {
    const circuit = opened();
    circuit.begin();
    circuit.succeeded();
    expect(circuit.waitMs(10_001)).toBe(0);
    expect(circuit.begin()).toBe(false);
  });

  it('stays away twice as long after each probe that fails, up to two minutes', () => {
    const circuit = opened();
    const waits = Array.from({ length: 6 }, () => {
      circuit.failed(circuit.begin(), 0);
      return circuit.waitMs(0);
    });
    expect(waits).toEqual([20_000, 40_000, 80_000, 120_000, 120_000, 120_000]);
  });

  it('is not kept open by those who were under way when it opened', () => {
    const circuit = opened();
    circuit.failed(false, 9_000);
    expect(circuit.waitMs(9_000)).toBe(1_000);
  });

  it('knows for how long it has been open, whatever the probes between', () => {
    const circuit = opened();
    circuit.failed(circuit.begin(), 50_000);
    expect(circuit.openForMs(60_000)).toBe(60_000);
    circuit.succeeded();
    expect(circuit.openForMs(60_000)).toBe(0);
  });

  it('lets the next one probe where a probe was called off', () => {
    const circuit = opened();
    circuit.calledOff(circuit.begin());
    expect(circuit.waitMs(10_000)).toBe(0);
  });
});
