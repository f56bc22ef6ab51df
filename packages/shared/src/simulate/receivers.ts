import { type CircuitChange, Circuits, GIVE_UP_AFTER_MS } from '../circuits.js';
import type { Outcome } from '../outcome.js';
import type { Target } from '../plan.js';
import type { Outage, SimulationOptions } from './simulation.js';

/** The name of a receiver: the origin of a webhook, `queue:name`, `handler:name`, `call` or `heartbeat`. */
export function receiverOf(target: Target): string {
  switch (target.type) {
    case 'webhook':
      return new URL(target.url).origin;
    case 'queue':
      return `queue:${target.queue}`;
    case 'handler':
      return `handler:${target.name}`;
    case 'call':
    case 'heartbeat':
      return target.type;
  }
}

export type SimulatedPassage =
  /** The attempt is sent. If the receiver is down, it fails at once. */
  | { kind: 'go'; isProbe: boolean; isDown: boolean }
  /** An open circuit defers the run or, after a day, fails it. */
  | { kind: 'refused'; outcome: Outcome };

/** The receivers of a simulation: whether each of them is up, and the circuits of the failing ones. */
export class Receivers {
  readonly changes: CircuitChange[] = [];
  readonly #circuits: Circuits;
  readonly #names = new Map<Target, string>();
  readonly #outages: readonly Outage[];

  constructor({ outages, circuitOpenMs }: Pick<SimulationOptions, 'outages' | 'circuitOpenMs'>) {
    this.#outages = outages.filter(({ receiver }) => receiver !== null);
    this.#circuits = new Circuits({
      openMs: circuitOpenMs,
      giveUpAfterMs: GIVE_UP_AFTER_MS,
      onChange: (change) => this.changes.push(change),
    });
  }

  /** Decides whether an attempt may be sent now and, if it is sent, whether it fails. */
  ask(target: Target, nowAt: number, random: () => number): SimulatedPassage {
    if (this.#outages.length === 0) return { kind: 'go', isProbe: false, isDown: false };
    const name = this.#nameOf(target);
    const outcome = this.#circuits.refusal(name, { origin: name, now: nowAt, random });
    if (outcome) return { kind: 'refused', outcome };
    const isProbe = this.#circuits.begin(name, nowAt);
    const isDown = this.#outages.some(
      ({ receiver, fromAt, toAt }) => receiver === name && fromAt <= nowAt && nowAt < toAt,
    );
    return { kind: 'go', isProbe, isDown };
  }

  /** Notes how an attempt ended. */
  end(target: Target, outcome: Outcome, { isProbe, now }: { isProbe: boolean; now: number }): void {
    if (this.#outages.length === 0 || !hasCircuit(target)) return;
    this.#circuits.end(this.#nameOf(target), outcome, { isProbe, now });
  }

  #nameOf(target: Target): string {
    const known = this.#names.get(target);
    if (known !== undefined) return known;
    const name = receiverOf(target);
    this.#names.set(target, name);
    return name;
  }
}

/** Only deliveries to receivers outside of Carillon have a circuit breaker. */
const hasCircuit = ({ type }: Target) => type === 'webhook' || type === 'call';
