import { isOriginFailure, type Outcome } from '@carillon/shared';
import type { Logger } from 'pino';
import type { AbortReason, StopSignal } from '../in-flight.js';
import type { Metrics } from '../metrics.js';
import { Circuit } from './circuit.js';
import { Gate } from './gate.js';
import type { ProjectSettings } from './project-settings.js';

/** A delivery that asks to go out. */
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
  /** An origin that has failed for so long is not waited for any more: its runs fail, and can be replayed. */
  giveUpAfterMs: number;
  metrics: Metrics;
  log: Logger;
}

/** Waiting in memory holds one of the worker's places, so it is short; longer waits are Postgres's. */
const PATIENCE_MS = 2_000;
const BREATH_MS = 100;
/** Fewer than this in a breath is slow. */
const MANY = 50;
const MOST_CIRCUITS = 10_000;

/**
 * Sees to it that a bad destination does not starve the others: so many at once to one origin, so many at once and per
 * second for one project, and none to an origin that keeps failing. What may not go now is put off, not failed.
 */
export class Traffic {
  readonly #gates = new Map<string, Gate>();
  /** Of origins that fail; the others have none. By project too: one project's failures don't close another's way. */
  readonly #circuits = new Map<string, Circuit>();

  constructor(private readonly options: TrafficOptions) {}

  /**
   * What is claimed faster than it can be sent only goes back and forth. Where enough waits for a destination that is doing
   * well: after how long to claim again, and how much, so that the queue goes down. A slow destination is left to put
   * off what comes, for others are due too.
   */
  breath(): { ms: number; most: number } | null {
    for (const gate of this.#gates.values()) {
      const inABreath = gate.pace * BREATH_MS;
      if (inABreath >= MANY && gate.turnInMs > PATIENCE_MS / 2)
        return { ms: BREATH_MS, most: Math.ceil(inABreath / 4) };
    }
    return null;
  }

  async pass(passage: Passage, deliver: () => Promise<Outcome>): Promise<Outcome> {
    const refused = this.#refuseByCircuit(passage);
    if (refused) return refused;
    const { rate, gate } = await this.options.settings.trafficOf(passage.projectId);
    const rateWaitMs = rate?.take(performance.now()) ?? 0;
    if (rateWaitMs > 0)
      return defer(rateWaitMs, 'project_rate', 'its project delivers as many per second as it may');
    if (!gate) return this.#throughOrigin(passage, deliver);
    return this.#through(gate, passage, busy('project_busy', 'its project has'), () =>
      this.#throughOrigin(passage, deliver),
    );
  }

  async #throughOrigin(passage: Passage, deliver: () => Promise<Outcome>): Promise<Outcome> {
    const { origin } = passage;
    const gate = this.#gates.get(origin) ?? new Gate(this.options.originConcurrency);
    this.#gates.set(origin, gate);
    try {
      return await this.#through(gate, passage, busy('origin_busy', `${origin} has`), () =>
        this.#send(passage, deliver),
      );
    } finally {
      if (gate.isIdle) this.#gates.delete(origin);
    }
  }

  async #through(
    gate: Gate,
    { timeoutMs, signal }: Passage,
    putOff: (returnInMs: number) => Outcome,
    go: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const returnInMs = await gate.enter(Math.min(PATIENCE_MS, timeoutMs / 4), signal);
    if (returnInMs > 0) return putOff(returnInMs);
    const startedAt = performance.now();
    let outcome: Outcome | null = null;
    try {
      outcome = await go();
      return outcome;
    } finally {
      gate.leave(outcome?.kind === 'deferred' ? null : performance.now() - startedAt);
    }
  }

  async #send(passage: Passage, deliver: () => Promise<Outcome>): Promise<Outcome> {
    // The circuit may have opened while this one waited at a gate.
    const refused = this.#refuseByCircuit(passage);
    if (refused) return refused;
    const isProbe = this.#circuits.get(keyOf(passage))?.begin() ?? false;
    try {
      const outcome = await deliver();
      this.#judge(passage, isOriginFailure(outcome), isProbe);
      return outcome;
    } catch (error) {
      if (hasTimedOut(passage.signal)) this.#judge(passage, true, isProbe);
      else this.#circuits.get(keyOf(passage))?.calledOff(isProbe);
      throw error;
    }
  }

  #refuseByCircuit(passage: Passage): Outcome | null {
    const now = performance.now();
    const circuit = this.#circuits.get(keyOf(passage));
    const waitMs = circuit?.waitMs(now) ?? 0;
    if (!circuit || waitMs === 0) return null;
    if (circuit.openForMs(now) > this.options.giveUpAfterMs) {
      const error = `${passage.origin} has kept failing for too long to wait for it`;
      return { kind: 'failed', isTransient: false, errorCode: 'circuit_open', error };
    }
    // Spread out: thousands that came back at one instant would all be claimed, and all but one be put off again.
    const reason = `${passage.origin} keeps failing; it is being left alone for a while`;
    return defer(Math.ceil(waitMs * (1 + Math.random())), 'circuit_open', reason);
  }

  #judge(passage: Passage, isFailure: boolean, isProbe: boolean): void {
    const { metrics, log, circuitOpenMs } = this.options;
    const key = keyOf(passage);
    const circuit = this.#circuits.get(key);
    if (!isFailure) {
      if (circuit?.isOpen) log.info({ origin: passage.origin }, 'Circuit closed');
      circuit?.succeeded();
      this.#circuits.delete(key);
      return;
    }
    const failing = circuit ?? new Circuit(circuitOpenMs);
    const [oldest] = this.#circuits.keys();
    if (!circuit && this.#circuits.size >= MOST_CIRCUITS && oldest !== undefined)
      this.#circuits.delete(oldest);
    this.#circuits.set(key, failing);
    if (failing.failed(isProbe, performance.now())) {
      metrics.count('carillon_circuits_opened_total');
      log.warn({ origin: passage.origin }, 'Circuit opened: the origin keeps failing');
    }
  }
}

const keyOf = ({ projectId, origin }: Passage) => `${projectId} ${origin}`;

/** A flight's signal says why in a word, one that only measures time by the name of its error. */
function hasTimedOut({ reason }: StopSignal): boolean {
  return (
    reason === ('timeout' satisfies AbortReason) || (reason as Error | undefined)?.name === 'TimeoutError'
  );
}

const defer = (retryInMs: number, reasonCode: string, reason: string): Outcome => ({
  kind: 'deferred',
  retryInMs,
  reasonCode,
  reason,
});

const busy = (reasonCode: string, who: string) => (returnInMs: number) =>
  defer(returnInMs, reasonCode, `${who} as many deliveries under way as it may`);
