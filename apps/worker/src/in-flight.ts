import type { ClaimedRun } from '@carillon/db';

/** Why a delivery was told to stop. */
export type AbortReason = 'timeout' | 'cancelled' | 'lease_lost' | 'shutdown';

/** What our own deliveries need of an `AbortSignal`. A flight is one itself: a real one costs a tenth of a webhook. */
export type StopSignal = Pick<AbortSignal, 'aborted' | 'reason'> & {
  addEventListener(event: 'abort', listener: () => void, options: { once: true }): void;
  removeEventListener(event: 'abort', listener: () => void): void;
};

/** A run that this worker has claimed and not yet closed. */
export class Flight implements StopSignal {
  /** By the process's monotonic clock. */
  readonly startedAt = performance.now();
  /** The delivery has ended; what is left is to write it down. */
  isDelivered = false;
  reason: AbortReason | null = null;
  #listeners: (() => void)[] = [];
  #controller: AbortController | null = null;

  constructor(readonly run: ClaimedRun) {}

  get aborted(): boolean {
    return this.reason !== null;
  }

  /** A real one, for who asks for it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.reason) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  addEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }

  abort(reason: AbortReason): void {
    if (this.reason) return;
    this.reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners) listener();
  }
}

/** The runs in hand, and the places that are left. */
export class InFlight {
  readonly #byEpoch = new Map<number, Set<Flight>>();
  readonly #timers = new Map<number, NodeJS.Timeout[]>();
  /** Epochs with a run that could not be closed: only their lease, once it runs out, leads a rescuer to it. */
  readonly #withLost = new Set<number>();
  #count = 0;

  constructor(
    private readonly places: number,
    private readonly onFree: () => void,
  ) {}

  get count(): number {
    return this.#count;
  }

  get free(): number {
    return Math.max(0, this.places - this.#count);
  }

  get epochs(): number[] {
    return [...this.#byEpoch.keys()];
  }

  flights(): Flight[] {
    return [...this.#byEpoch.values()].flatMap((flights) => [...flights]);
  }

  /** Takes a whole claim on; all of its runs share an epoch. */
  add(runs: readonly ClaimedRun[]): Flight[] {
    const flights = runs.map((run) => new Flight(run));
    const [first] = runs;
    if (!first) return flights;
    this.#byEpoch.set(first.epoch, new Set(flights));
    this.#timers.set(first.epoch, this.#limitTime(first.epoch, runs));
    this.#count += flights.length;
    return flights;
  }

  /** The epochs under which nothing is left once these have ended. */
  epochsEndedBy(flights: readonly Flight[]): number[] {
    const ended = new Map<number, number>();
    for (const { run } of flights) ended.set(run.epoch, (ended.get(run.epoch) ?? 0) + 1);
    return [...ended.keys()].filter(
      (epoch) => this.#byEpoch.get(epoch)?.size === ended.get(epoch) && !this.#withLost.has(epoch),
    );
  }

  /** Lets go of a run that could not be closed: its lease is left to run out. */
  lose(flight: Flight): void {
    this.#withLost.add(flight.run.epoch);
    this.remove(flight);
  }

  has(flight: Flight): boolean {
    return this.#byEpoch.get(flight.run.epoch)?.has(flight) ?? false;
  }

  /** Lets go of a run. */
  remove(flight: Flight): void {
    const { epoch } = flight.run;
    const flights = this.#byEpoch.get(epoch);
    if (!flights?.delete(flight)) return;
    if (flights.size === 0) this.#forget(epoch);
    const wasFull = this.free === 0;
    this.#count--;
    if (wasFull) this.onFree();
  }

  /**
   * Tells every delivery under an epoch to stop: the lease is somebody else's now. One that has ended is left to be
   * closed, which is refused if it came too late; its lease may be gone just because it is being closed right now.
   */
  abandon(epoch: number): Flight[] {
    const flights = [...(this.#byEpoch.get(epoch) ?? [])].filter((flight) => !flight.isDelivered);
    for (const flight of flights) {
      flight.abort('lease_lost');
      this.remove(flight);
    }
    return flights;
  }

  #forget(epoch: number): void {
    this.#byEpoch.delete(epoch);
    for (const timer of this.#timers.get(epoch) ?? []) clearTimeout(timer);
    this.#timers.delete(epoch);
    this.#withLost.delete(epoch);
  }

  /** Runs that were claimed together and may take equally long share a timer, which goes with the last of them. */
  #limitTime(epoch: number, runs: readonly ClaimedRun[]): NodeJS.Timeout[] {
    const timeouts = new Set(runs.map((run) => run.plan.timeoutMs));
    return [...timeouts].map((timeoutMs) =>
      setTimeout(() => {
        for (const flight of this.#byEpoch.get(epoch) ?? []) {
          if (flight.run.plan.timeoutMs === timeoutMs) flight.abort('timeout');
        }
      }, timeoutMs).unref(),
    );
  }
}
