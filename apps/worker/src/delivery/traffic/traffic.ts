import { Circuit, type DeferralReason, isOriginFailure, type Outcome } from '@carillon/shared';
import type { Logger } from 'pino';
import type { Metrics } from '../../metrics.js';
import type { StopSignal } from '../../pipeline/in-flight.js';
import { Gate, hasTimedOut, PATIENCE_MS, passGate } from './gate.js';
import type { ProjectSettings } from './project-settings.js';

/** A delivery that asks whether it may be sent now. */
export interface Passage {
  projectId: number;
  origin: string;
  timeoutMs: number;
  signal: StopSignal;
}

export interface TrafficOptions {
  settings: Pick<ProjectSettings, 'trafficOf'>;
  originConcurrency: number;
  circuitOpenMs: number;
  /** After an origin has failed for this long, its runs are no longer deferred but fail. They can be replayed. */
  giveUpAfterMs: number;
  metrics: Metrics;
  log: Logger;
}

const BACKPRESSURE_PAUSE_MS = 100;
/** A destination that takes fewer deliveries than this during one backpressure pause counts as slow. */
const FAST_PER_PAUSE = 50;
const MAX_CIRCUITS = 10_000;

/**
 * Keeps a bad destination from starving the others. It limits the concurrent deliveries per origin and per project,
 * limits the rate per project, and stops deliveries to an origin that keeps failing. A delivery that may not go now is
 * deferred, not failed.
 */
export class Traffic {
  readonly #gates = new Map<string, Gate>();
  /** The circuits of failing origins, by project and origin: the failures of one project do not affect another. */
  readonly #circuits = new Map<string, Circuit>();

  constructor(private readonly options: TrafficOptions) {}

  /**
   * Returns the pause before the next claim and the maximum number of runs to claim; null if no pause is needed. Claims
   * pause while many deliveries wait for a fast destination, because further runs would only be deferred and claimed
   * again. A slow destination causes no pause: its runs are deferred, so that runs for other destinations are not late.
   */
  backpressure(): { pauseMs: number; limit: number } | null {
    for (const gate of this.#gates.values()) {
      const perPause = gate.pace * BACKPRESSURE_PAUSE_MS;
      if (perPause >= FAST_PER_PAUSE && gate.turnInMs > PATIENCE_MS / 2)
        return { pauseMs: BACKPRESSURE_PAUSE_MS, limit: Math.ceil(perPause / 4) };
    }
    return null;
  }

  /** The open circuits that make deliveries wait, each as "project origin". */
  openCircuits(): string[] {
    const now = performance.now();
    return [...this.#circuits].flatMap(([key, circuit]) => (circuit.isHoldingBack(now) ? [key] : []));
  }

  async pass(passage: Passage, deliver: () => Promise<Outcome>): Promise<Outcome> {
    const refused = this.#refuseByCircuit(passage);
    if (refused) return refused;
    const { rate, gate } = await this.options.settings.trafficOf(passage.projectId);
    const rateWaitMs = rate?.take(performance.now()) ?? 0;
    if (rateWaitMs > 0)
      return defer(rateWaitMs, 'project_rate', 'the project has reached its limit of deliveries per second');
    if (!gate) return this.#throughOrigin(passage, deliver);
    return passGate(gate, passage, busy('project_busy', 'the project has'), () =>
      this.#throughOrigin(passage, deliver),
    );
  }

  async #throughOrigin(passage: Passage, deliver: () => Promise<Outcome>): Promise<Outcome> {
    const { origin } = passage;
    const gate = this.#gates.get(origin) ?? new Gate(this.options.originConcurrency);
    this.#gates.set(origin, gate);
    try {
      return await passGate(gate, passage, busy('origin_busy', `${origin} has`), () =>
        this.#send(passage, deliver),
      );
    } finally {
      if (gate.isIdle) this.#gates.delete(origin);
    }
  }

  async #send(passage: Passage, deliver: () => Promise<Outcome>): Promise<Outcome> {
    // The circuit may have opened while this delivery waited at a gate.
    const refused = this.#refuseByCircuit(passage);
    if (refused) return refused;
    const isProbe = this.#circuits.get(keyOf(passage))?.begin() ?? false;
    try {
      const outcome = await deliver();
      this.#judge(passage, isOriginFailure(outcome), isProbe);
      return outcome;
    } catch (error) {
      if (hasTimedOut(passage.signal)) this.#judge(passage, true, isProbe);
      else this.#circuits.get(keyOf(passage))?.aborted(isProbe);
      throw error;
    }
  }

  #refuseByCircuit(passage: Passage): Outcome | null {
    const now = performance.now();
    const circuit = this.#circuits.get(keyOf(passage));
    const waitMs = circuit?.waitMs(now) ?? 0;
    if (!circuit || waitMs === 0) return null;
    if (circuit.openForMs(now) > this.options.giveUpAfterMs) {
      const error = `${passage.origin} has failed for too long, so the run is not retried; replay it when the origin is back`;
      return { kind: 'failed', isTransient: false, errorCode: 'circuit_open', error };
    }
    // The delay is random. If thousands of runs came back at one instant, all would be claimed and all but one would be
    // deferred again.
    const reason = `${passage.origin} keeps failing; deliveries to it pause for a while`;
    return defer(Math.ceil(waitMs * (1 + Math.random())), 'circuit_open', reason);
  }

  #judge(passage: Passage, isFailure: boolean, isProbe: boolean): void {
    const { metrics, log, circuitOpenMs } = this.options;
    const { projectId, origin } = passage;
    const key = keyOf(passage);
    const circuit = this.#circuits.get(key);
    if (!isFailure) {
      if (circuit?.isOpen) log.info({ projectId, origin }, 'Circuit closed');
      circuit?.succeeded();
      this.#circuits.delete(key);
      return;
    }
    const failing = circuit ?? new Circuit(circuitOpenMs);
    const [oldest] = this.#circuits.keys();
    if (!circuit && this.#circuits.size >= MAX_CIRCUITS && oldest !== undefined)
      this.#circuits.delete(oldest);
    this.#circuits.set(key, failing);
    if (failing.failed(isProbe, performance.now())) {
      metrics.count('carillon_circuits_opened_total');
      log.warn({ projectId, origin }, 'Circuit opened: the origin keeps failing');
    }
  }
}

const keyOf = ({ projectId, origin }: Passage) => `${projectId} ${origin}`;

const defer = (retryInMs: number, reasonCode: DeferralReason, reason: string): Outcome => ({
  kind: 'deferred',
  retryInMs,
  reasonCode,
  reason,
});

const busy = (reasonCode: DeferralReason, who: string) => (returnInMs: number) =>
  defer(returnInMs, reasonCode, `${who} reached its limit of concurrent deliveries`);
