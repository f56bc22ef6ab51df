import { Circuit } from '../circuit.js';
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
  | { kind: 'go'; isProbe: boolean }
  | { kind: 'fail' }
  /** The circuit is open. */
  | { kind: 'wait'; waitMs: number }
  /** The circuit has been open for so long that runs fail. */
  | { kind: 'refuse' };

/** After an origin has failed for this long, a worker fails its runs instead of deferring them. */
const GIVE_UP_AFTER_MS = 86_400_000;

/** The receivers of a simulation: whether each of them is up, and the circuits of the failing ones. */
export class Receivers {
  circuitsOpened = 0;
  readonly #circuits = new Map<string, Circuit>();
  readonly #names = new Map<Target, string>();
  readonly #outages: readonly Outage[];

  constructor(private readonly options: Pick<SimulationOptions, 'outages' | 'circuitOpenMs'>) {
    this.#outages = options.outages.filter(({ receiver }) => receiver !== null);
  }

  /** Decides whether an attempt may be sent now and, if it is sent, whether it fails. */
  ask(target: Target, nowAt: number): SimulatedPassage {
    if (this.#outages.length === 0) return { kind: 'go', isProbe: false };
    const name = this.#nameOf(target);
    const circuit = this.#circuits.get(name);
    const waitMs = circuit?.waitMs(nowAt) ?? 0;
    if (circuit && waitMs > 0)
      return circuit.openForMs(nowAt) > GIVE_UP_AFTER_MS ? { kind: 'refuse' } : { kind: 'wait', waitMs };
    const isProbe = circuit?.begin() ?? false;
    const isDown = this.#outages.some(
      ({ receiver, fromAt, toAt }) => receiver === name && fromAt <= nowAt && nowAt < toAt,
    );
    if (!isDown) return { kind: 'go', isProbe };
    if (hasCircuit(target)) this.#failed(name, isProbe, nowAt);
    return { kind: 'fail' };
  }

  succeeded(target: Target, isProbe: boolean): void {
    if (this.#circuits.size === 0) return;
    const name = this.#nameOf(target);
    const circuit = this.#circuits.get(name);
    // If the circuit is open and this was not the probe, the run began before the receiver went down. Its success does
    // not close the circuit.
    if (circuit && (isProbe || !circuit.isOpen)) this.#circuits.delete(name);
  }

  #failed(name: string, isProbe: boolean, nowAt: number): void {
    const circuit = this.#circuits.get(name) ?? new Circuit(this.options.circuitOpenMs);
    this.#circuits.set(name, circuit);
    if (circuit.failed(isProbe, nowAt)) this.circuitsOpened++;
  }

  #nameOf(target: Target): string {
    const known = this.#names.get(target);
    if (known !== undefined) return known;
    const name = receiverOf(target);
    this.#names.set(target, name);
    return name;
  }
}

/** Only deliveries to the outside go through a circuit. */
const hasCircuit = ({ type }: Target) => type === 'webhook' || type === 'call';
