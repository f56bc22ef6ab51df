import { Circuit } from './circuit.js';
import { DAY_MS } from './durations.js';
import { isOriginFailure, type Outcome } from './outcome.js';

/**
 * After an origin has failed for this long, runs that deliver to it are no longer deferred but fail. They can be
 * replayed.
 */
export const GIVE_UP_AFTER_MS = DAY_MS;

export interface CircuitChange {
  key: string;
  at: number;
  /** `half_open`: a probe has begun. `opened_again`: the probe has failed. */
  kind: 'opened' | 'half_open' | 'opened_again' | 'closed';
}

export interface CircuitsOptions {
  /** How long a circuit stays open at first. */
  openMs: number;
  giveUpAfterMs: number;
  onChange: (change: CircuitChange) => void;
}

/** Maximum number of circuits. Beyond it, the circuit that was created first is forgotten. */
const MAX_CIRCUITS = 10_000;

/**
 * The circuit breakers of failing origins. The worker and the simulation both use this class: it decides whether a
 * delivery may go, and learns how the delivery ended. So both take the same decisions.
 */
export class Circuits {
  readonly #circuits = new Map<string, Circuit>();

  constructor(private readonly options: CircuitsOptions) {}

  /** The outcome of a delivery that may not be sent now; null if it may be sent. */
  refusal(
    key: string,
    { origin, now, random }: { origin: string; now: number; random: () => number },
  ): Outcome | null {
    const circuit = this.#circuits.get(key);
    const waitMs = circuit?.waitMs(now) ?? 0;
    if (!circuit || waitMs === 0) return null;
    if (circuit.openForMs(now) > this.options.giveUpAfterMs) {
      const error = `${origin} has failed for too long, so the run is not retried; replay it when the origin is back`;
      return { kind: 'failed', isTransient: false, errorCode: 'circuit_open', error };
    }
    // The delay is random. If thousands of runs came back at one instant, all would be claimed, and all but one would
    // be deferred again.
    const retryInMs = Math.ceil(waitMs * (1 + random()));
    const reason = `${origin} keeps failing; deliveries to it pause for a while`;
    return { kind: 'deferred', retryInMs, reasonCode: 'circuit_open', reason };
  }

  /** Begins a delivery that was not refused. Returns true if it is the probe of an open circuit. */
  begin(key: string, now: number): boolean {
    const isProbe = this.#circuits.get(key)?.begin() ?? false;
    if (isProbe) this.options.onChange({ key, at: now, kind: 'half_open' });
    return isProbe;
  }

  /**
   * Ends a delivery. A server error or a failed connection counts against the origin. A success and any other answer
   * close the circuit. Without an answer, for example if the address is not allowed, the circuit stays as it is.
   */
  end(key: string, outcome: Outcome, { isProbe, now }: { isProbe: boolean; now: number }): void {
    if (isOriginFailure(outcome)) this.fail(key, { isProbe, now });
    else if (isAnswered(outcome)) this.#close(key, now);
    else this.abort(key, isProbe);
  }

  fail(key: string, { isProbe, now }: { isProbe: boolean; now: number }): void {
    const circuit = this.#circuits.get(key) ?? new Circuit(this.options.openMs);
    const [oldest] = this.#circuits.keys();
    if (!this.#circuits.has(key) && this.#circuits.size >= MAX_CIRCUITS && oldest !== undefined)
      this.#circuits.delete(oldest);
    this.#circuits.set(key, circuit);
    const isOpened = circuit.failed(isProbe, now);
    if (isOpened) this.options.onChange({ key, at: now, kind: 'opened' });
    else if (isProbe) this.options.onChange({ key, at: now, kind: 'opened_again' });
  }

  /**
   * Ends a delivery that sent nothing or was stopped. Such a delivery says nothing about the origin. If it was the
   * probe, the next delivery may probe instead.
   */
  abort(key: string, isProbe: boolean): void {
    this.#circuits.get(key)?.aborted(isProbe);
  }

  /** The keys of the open circuits that make deliveries wait. */
  holdingBack(now: number): string[] {
    return [...this.#circuits].flatMap(([key, circuit]) => (circuit.isHoldingBack(now) ? [key] : []));
  }

  #close(key: string, now: number): void {
    const circuit = this.#circuits.get(key);
    if (!circuit) return;
    this.#circuits.delete(key);
    if (circuit.isOpen) this.options.onChange({ key, at: now, kind: 'closed' });
  }
}

/** True if the receiver took the delivery or answered it. */
const isAnswered = (outcome: Outcome) =>
  outcome.kind === 'succeeded' ||
  (outcome.kind === 'failed' && (outcome.answer?.httpStatus ?? null) !== null);
