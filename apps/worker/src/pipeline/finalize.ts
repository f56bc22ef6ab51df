import { type ClosedRun, closeRuns, isBadData, toClosedRun } from '@carillon/db';
import type { Outcome } from '@carillon/shared';
import type { WorkerContext } from '../context.js';
import { receiptOf } from '../delivery/receipts/receipt.js';
import { FollowUps } from './follow-up.js';
import type { Flight, InFlight } from './in-flight.js';
import { runFields } from './run-fields.js';

/** A delivery that has ended, with the row that closes its run. */
export interface EndedDelivery {
  flight: Flight;
  outcome: Outcome;
  closed: ClosedRun;
}

/** Maximum number of runs that one statement closes. A larger batch would delay the next batch. */
const MAX_BATCH_SIZE = 1_000;
const CLOSE_RETRY_DELAY_MS = 200;

/** Closes runs in batches: deliveries that end while one batch is being written make up the next batch. */
export class Finalizer {
  #waiting: EndedDelivery[] = [];
  #flushing: Promise<void> | null = null;
  readonly #followUps: FollowUps;

  constructor(
    private readonly context: WorkerContext,
    private readonly inFlight: InFlight,
  ) {
    this.#followUps = new FollowUps(context);
  }

  close(flight: Flight, outcome: Outcome): void {
    flight.isDelivered = true;
    const { run, startedAt, sentAt } = flight;
    const nowAt = this.context.clock.now();
    const closed = toClosedRun(run, outcome, {
      nowAt,
      durationMs: performance.now() - startedAt,
      latenessMs: sentAt === null ? null : Math.max(0, sentAt - run.dueAt),
      random: Math.random(),
      receiptOf: (status) => receiptOf(run, outcome, { status, nowAt }),
    });
    this.#waiting.push({ flight, outcome, closed });
    this.#flushing ??= this.#flush();
  }

  async finish(): Promise<void> {
    await this.#flushing;
    await this.#followUps.finish();
  }

  async #flush(): Promise<void> {
    // Wait for the end of this turn of the event loop, so that all deliveries that end in it join the first batch.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH_SIZE);
      try {
        await this.#write(batch);
      } catch (error) {
        // Postgres is away. The results stay in memory and are written when it is back. If the lease expires first, the
        // sweep takes the runs back.
        this.context.postgres.report(error, 'Closing runs failed, trying again', { runs: batch.length });
        // If `#writeApart` has split the batch, a part of it may be closed already.
        this.#waiting.unshift(...batch.filter(({ flight }) => this.inFlight.has(flight)));
        await new Promise((resolve) => setTimeout(resolve, CLOSE_RETRY_DELAY_MS));
      }
    }
    this.#flushing = null;
  }

  async #write(batch: readonly EndedDelivery[]): Promise<void> {
    const { pool, holder, metrics, log, tracing } = this.context;
    const startedAt = performance.now();
    let kept: ReadonlySet<ClosedRun>;
    try {
      const closed = batch.map((done) => done.closed);
      kept = new Set(await closeRuns(pool, closed, { ...holder, now: null }));
    } catch (error) {
      if (!isBadData(error)) throw error;
      return this.#writeApart(batch, error);
    }
    tracing?.closed(
      batch.map(({ flight }) => flight),
      performance.now() - startedAt,
    );
    for (const { flight } of batch) this.inFlight.remove(flight);
    const refused = batch.filter(({ closed }) => !kept.has(closed));
    if (refused.length > 0) {
      metrics.count('carillon_refused_writes_total', refused.length);
      log.warn(
        { refused: refused.length },
        'Late writes refused: the runs were rescued or cancelled meanwhile',
      );
      this.#followUps.addRefused(refused);
      this.inFlight.noteLost(refused.map(({ flight }) => flight));
    }
    this.#followUps.add(batch.filter(({ closed }) => kept.has(closed)));
  }

  /** Halves a batch that Postgres refuses until the bad row is alone, so that one bad row does not fail its batch. */
  async #writeApart(batch: readonly EndedDelivery[], error: unknown): Promise<void> {
    const [first] = batch;
    if (batch.length === 1 && first) {
      const message = 'A run could not be closed: its lease will expire and the sweep will rescue it';
      this.context.log.error({ err: error, ...runFields(first.flight.run) }, message);
      this.inFlight.remove(first.flight);
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await this.#write(batch.slice(0, half));
    await this.#write(batch.slice(half));
  }
}
