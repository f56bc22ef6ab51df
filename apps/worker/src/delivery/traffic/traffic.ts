import { type CircuitChange, Circuits, type DeferralReason, type Outcome } from '@carillon/shared';
import type { Logger } from 'pino';
import type { Metrics } from '../../metrics.js';
import type { StopSignal } from '../../pipeline/in-flight.js';
import { Gate, hasTimedOut, MAX_WAIT_AT_GATE_MS, passGate } from './gate.js';
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
  /**
   * After an origin has failed for this long, runs for this origin fail instead of being deferred. They can be
   * replayed.
   */
  giveUpAfterMs: number;
  metrics: Metrics;
  log: Logger;
  /** Spreads the delays of deliveries that an open circuit breaker defers (default `Math.random`). */
  random?: () => number;
}

const BACKPRESSURE_PAUSE_MS = 100;
/** A destination that takes fewer deliveries than this in `BACKPRESSURE_PAUSE_MS` counts as slow. */
const FAST_PER_PAUSE = 50;

/**
 * Keeps a bad destination from starving the others. It limits the concurrent deliveries per origin and per project,
 * limits the rate per project, and stops deliveries to an origin that keeps failing. A delivery that may not go now is
 * deferred, not failed.
 */
export class Traffic {
  readonly #gates = new Map<string, Gate>();
  /**
   * The circuit breakers of failing origins, by project and origin: the failures of one project do not affect another
   * project.
   */
  readonly #circuits: Circuits;
  readonly #random: () => number;

  constructor(private readonly options: TrafficOptions) {
    const { circuitOpenMs: openMs, giveUpAfterMs, random = Math.random } = options;
    this.#circuits = new Circuits({ openMs, giveUpAfterMs, onChange: (change) => this.#noteChange(change) });
    this.#random = random;
  }

  /**
   * Returns the pause before the next claim and the maximum number of runs to claim; null if no pause is needed. Claims
   * pause while many deliveries wait for a fast destination, because further runs would only be deferred and claimed
   * again. A slow destination causes no pause: its runs are deferred, so that runs for other destinations are not late.
   */
  backpressure(): { pauseMs: number; limit: number } | null {
    for (const gate of this.#gates.values()) {
      const perPause = gate.pace * BACKPRESSURE_PAUSE_MS;
      if (perPause >= FAST_PER_PAUSE && gate.turnInMs > MAX_WAIT_AT_GATE_MS / 2)
        return { pauseMs: BACKPRESSURE_PAUSE_MS, limit: Math.ceil(perPause / 4) };
    }
    return null;
  }

  /** The open circuit breakers that make deliveries wait, each as the text "projectId origin". */
  openCircuits(): string[] {
    return this.#circuits.holdingBack(performance.now());
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
    const key = keyOf(passage);
    const isProbe = this.#circuits.begin(key, performance.now());
    try {
      const outcome = await deliver();
      this.#circuits.end(key, outcome, { isProbe, now: performance.now() });
      return outcome;
    } catch (error) {
      if (hasTimedOut(passage.signal)) this.#circuits.fail(key, { isProbe, now: performance.now() });
      else this.#circuits.abort(key, isProbe);
      throw error;
    }
  }

  #refuseByCircuit(passage: Passage): Outcome | null {
    const { origin } = passage;
    return this.#circuits.refusal(keyOf(passage), { origin, now: performance.now(), random: this.#random });
  }

  #noteChange({ key, kind }: CircuitChange): void {
    const { metrics, log } = this.options;
    const [project, origin] = key.split(' ');
    const fields = { projectId: Number(project), origin };
    if (kind === 'opened') {
      metrics.count('carillon_circuits_opened_total');
      log.warn(fields, 'Circuit opened: the origin keeps failing');
    } else if (kind === 'closed') log.info(fields, 'Circuit closed');
    else if (kind === 'half_open') log.debug(fields, 'Circuit half open: one delivery probes the origin');
    else log.debug(fields, 'Circuit open again: the probe failed');
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
