import type { ClaimedRun } from '@carillon/db';
import type { AttemptTrace } from '../run-tracing.js';
import { ResourceShares } from './resource-shares.js';

/** Why a delivery was aborted. */
export type AbortReason = 'timeout' | 'cancelled' | 'lease_lost' | 'shutdown';

/**
 * The part of an `AbortSignal` that deliveries use. `Flight` implements this part itself, because creating a real
 * signal takes a tenth of the time of a whole webhook delivery.
 */
export type StopSignal = Pick<AbortSignal, 'aborted' | 'reason'> & {
  addEventListener(event: 'abort', listener: () => void, options: { once: true }): void;
  removeEventListener(event: 'abort', listener: () => void): void;
};

/** The lease of a claim, as this process knows it. */
export interface KnownLease {
  /** When the lease expires at the earliest, by the process's monotonic clock. */
  expiresAt: number;
}

/** A run that this worker has claimed and not yet closed. */
export class Flight implements StopSignal {
  /** An instant of the process's monotonic clock. */
  readonly startedAt = performance.now();
  /** True once the delivery has ended and only the close is still to be written. */
  isDelivered = false;
  reason: AbortReason | null = null;
  /**
   * When the first byte was sent, by Postgres's clock. While the request waits for its connection, the time at which
   * the wait began; null before the wait. Set by `connect` and `begin`, which the target calls.
   */
  sentAt: number | null = null;
  /** The public id of the project, known when the delivery begins. */
  projectKey = '';
  /** The span of this attempt; null unless traces are recorded. */
  trace: AttemptTrace | null = null;
  #hasBegun = false;
  #listeners: (() => void)[] = [];
  #controller: AbortController | null = null;

  constructor(
    readonly run: ClaimedRun,
    private readonly lease: KnownLease = { expiresAt: Number.POSITIVE_INFINITY },
  ) {}

  /**
   * Called when a request begins to wait for its connection, with the time by Postgres's clock. Throws if the delivery
   * was aborted or its lease may have expired.
   */
  connect(at: number): void {
    this.#check();
    this.sentAt = at;
  }

  /**
   * Called when the first byte is about to leave, with the time by Postgres's clock. Throws if the delivery was aborted
   * or its lease may have expired.
   */
  begin(at: number): void {
    this.#check();
    this.sentAt = at;
    this.#hasBegun = true;
  }

  /**
   * Throws if the delivery was aborted, or if the lease may have expired because this process was frozen or its event
   * loop was blocked. Another worker may then deliver the run.
   */
  #check(): void {
    if (performance.now() > this.lease.expiresAt) this.abort('lease_lost');
    if (this.reason) throw this.reason;
  }

  /** Estimates the memory of the payload by the length of its text, which is exact for ASCII. */
  get payloadBytes(): number {
    return this.run.payload?.length ?? 0;
  }

  get aborted(): boolean {
    return this.reason !== null;
  }

  /** True if the run reached its time-out before anything was sent, for example while Carillon read its own settings. */
  get hasTimedOutUnsent(): boolean {
    return this.reason === 'timeout' && this.sentAt === null;
  }

  /** A real `AbortSignal`, created when a handler asks for it. */
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
    // Nothing was sent while the request waited for its connection, so the attempt does not count.
    if (reason === 'lease_lost' && !this.#hasBegun) this.sentAt = null;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners) listener();
  }
}

export interface Capacity {
  /** Maximum number of concurrent deliveries. */
  places: number;
  /** Maximum bytes of payloads in memory. */
  bytes: number;
}

/**
 * The runs that this worker has claimed and not yet closed, grouped by the epoch (the number) of their lease, and the
 * room that is left for more: places (one for each run) and bytes of payloads.
 */
export class InFlight {
  readonly #byEpoch = new Map<number, Set<Flight>>();
  readonly #timers = new Map<number, NodeJS.Timeout[]>();
  readonly #leases = new Map<number, KnownLease>();
  /**
   * Runs whose lease was lost before their delivery began. `LateHandBack` hands their attempts back, so that these
   * attempts do not count.
   */
  lostUnbegun: ClaimedRun[] = [];
  readonly places: ResourceShares;
  readonly bytes: ResourceShares;
  /**
   * True after a claim that failed for this worker but may have been committed in Postgres, because the answer of
   * Postgres was lost.
   */
  hasLostAnswer = false;

  constructor(
    { places, bytes }: Capacity,
    private readonly onRemove: (wasFull: boolean) => void,
  ) {
    this.places = new ResourceShares(places);
    this.bytes = new ResourceShares(bytes);
  }

  get count(): number {
    return this.places.taken;
  }

  get free(): number {
    return this.places.free;
  }

  /** True if no more runs of this project may be claimed until other runs end. */
  hasUsedUp(projectId: number, weight: number): boolean {
    return this.places.hasUsedUp(projectId, weight) || this.bytes.hasUsedUp(projectId, weight);
  }

  /** True if some project may have used up its share of this worker. A claim then has to choose among the projects. */
  get isCrowded(): boolean {
    return this.places.isCrowded || this.bytes.isCrowded;
  }

  get epochs(): number[] {
    return [...this.#byEpoch.keys()];
  }

  flights(): Flight[] {
    return [...this.#byEpoch.values()].flatMap((flights) => [...flights]);
  }

  /**
   * Adds the runs of a claim. Their leases do not expire before `expiresAt`, an instant of the process's monotonic
   * clock. Runs under the same lease have the same epoch.
   */
  add(runs: readonly ClaimedRun[], expiresAt = Number.POSITIVE_INFINITY): Flight[] {
    const flights = runs.map((run) => new Flight(run, this.#leaseOf(run.epoch, expiresAt)));
    const added = new Set<number>();
    for (const flight of flights) {
      const { epoch } = flight.run;
      const known = this.#byEpoch.get(epoch);
      if (known) known.add(flight);
      else this.#byEpoch.set(epoch, new Set([flight]));
      added.add(epoch);
      this.places.take(flight.run.projectId, 1);
      this.bytes.take(flight.run.projectId, flight.payloadBytes);
    }
    for (const epoch of added) this.#timers.set(epoch, this.#limitTime(epoch));
    return flights;
  }

  #leaseOf(epoch: number, expiresAt: number): KnownLease {
    const lease = this.#leases.get(epoch) ?? { expiresAt };
    this.#leases.set(epoch, lease);
    return lease;
  }

  /** Notes that a lease was extended. */
  extend(epoch: number, expiresAt: number): void {
    const lease = this.#leases.get(epoch);
    if (lease) lease.expiresAt = expiresAt;
  }

  has(flight: Flight): boolean {
    return this.#byEpoch.get(flight.run.epoch)?.has(flight) ?? false;
  }

  /** Removes a run that is closed or lost. A lease whose last run was removed is no longer extended. */
  remove(flight: Flight): void {
    const { epoch, projectId } = flight.run;
    const flights = this.#byEpoch.get(epoch);
    if (!flights?.delete(flight)) return;
    if (flights.size === 0) this.#forget(epoch);
    const wasFull = this.free === 0;
    this.places.putBack(projectId, 1);
    this.bytes.putBack(projectId, flight.payloadBytes);
    this.onRemove(wasFull);
  }

  /**
   * Aborts and removes the deliveries of a lost lease, which is identified by its epoch. A delivery that has ended
   * stays, because the statement that closes its run may be in progress. That statement may itself have deleted the
   * lease, because closing the last run of a lease deletes it. If the lease was really lost, Postgres refuses the
   * close.
   */
  abandon(epoch: number): Flight[] {
    const flights = [...(this.#byEpoch.get(epoch) ?? [])].filter((flight) => !flight.isDelivered);
    for (const flight of flights) {
      flight.abort('lease_lost');
      this.remove(flight);
    }
    this.noteLost(flights);
    return flights;
  }

  /**
   * Remembers the runs that were lost before anything was sent. Their deliveries have ended or were aborted, so they
   * will send nothing later.
   */
  noteLost(flights: readonly Flight[]): void {
    this.lostUnbegun.push(...flights.filter(({ sentAt }) => sentAt === null).map(({ run }) => run));
  }

  #forget(epoch: number): void {
    this.#byEpoch.delete(epoch);
    this.#leases.delete(epoch);
    for (const timer of this.#timers.get(epoch) ?? []) clearTimeout(timer);
    this.#timers.delete(epoch);
  }

  /**
   * Starts the time-outs of the runs under one lease. Runs with the same time-out share a timer. The timers are cleared
   * when the last run of the lease is removed.
   */
  #limitTime(epoch: number): NodeJS.Timeout[] {
    const timeouts = new Set([...(this.#byEpoch.get(epoch) ?? [])].map(({ run }) => run.plan.timeoutMs));
    const abortAll = (timeoutMs: number) => {
      for (const flight of this.#byEpoch.get(epoch) ?? []) {
        if (flight.run.plan.timeoutMs === timeoutMs) flight.abort('timeout');
      }
    };
    // After the event loop was blocked, Node fires timers before it reads from sockets. The abort waits one turn, so
    // that answers that have already arrived are read first.
    return [...timeouts].map((timeoutMs) =>
      setTimeout(() => setImmediate(abortAll, timeoutMs), timeoutMs).unref(),
    );
  }
}
