import { type ClosedRun, closeRuns } from '@carillon/db';
import { closingOf, type Outcome } from '@carillon/shared';
import type { WorkerContext } from './context.js';
import { followUp } from './follow-up.js';
import type { Flight, InFlight } from './in-flight.js';
import { receiptOf } from './targets/receipt.js';

export interface Done {
  flight: Flight;
  outcome: Outcome;
  closed: ClosedRun;
}

/** More than this at once makes one statement long and the next one late. */
const MOST_AT_ONCE = 1_000;
const RETRY_MS = 200;

/** Closes runs in batches: what ends while one batch is being written makes up the next. */
export class Finalizer {
  #waiting: Done[] = [];
  #flushing: Promise<void> | null = null;

  constructor(
    private readonly context: WorkerContext,
    private readonly inFlight: InFlight,
  ) {}

  close(flight: Flight, outcome: Outcome): void {
    flight.isDelivered = true;
    this.#waiting.push({ flight, outcome, closed: toClosedRun(flight, outcome, this.context.clock.now()) });
    this.#flushing ??= this.#flush();
  }

  async finish(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    // Let the deliveries that end in this turn of the event loop join the first batch.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST_AT_ONCE);
      try {
        await this.#write(batch);
      } catch (error) {
        // Postgres is away: what happened is kept here and written when it is back, or rescued when the lease runs out.
        this.context.log.error({ err: error, runs: batch.length }, 'Closing runs failed, trying again');
        this.#waiting.unshift(...batch);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    this.#flushing = null;
  }

  async #write(batch: readonly Done[]): Promise<void> {
    const { pool, metrics, log } = this.context;
    const doneEpochs = this.inFlight.epochsEndedBy(batch.map(({ flight }) => flight));
    const closed = batch.map((done) => done.closed);
    let kept: number;
    try {
      kept = await closeRuns(pool, closed, { doneEpochs, now: null });
    } catch (error) {
      if (!isAboutData(error)) throw error;
      return this.#writeApart(batch, error);
    }
    for (const { flight } of batch) this.inFlight.remove(flight);
    if (kept < batch.length) {
      metrics.count('carillon_refused_writes_total', batch.length - kept);
      log.warn(
        { refused: batch.length - kept },
        'Late writes refused: the runs were rescued or cancelled meanwhile',
      );
    }
    followUp(this.context, batch);
  }

  /** One row must not sink its batch: halves it until the one that Postgres does not take is alone. */
  async #writeApart(batch: readonly Done[], error: unknown): Promise<void> {
    const [first] = batch;
    if (batch.length === 1 && first) {
      const { scheduleKey, occurrenceAt } = first.flight.run;
      this.context.log.error(
        { err: error, schedule: scheduleKey, occurrenceAt },
        'A run could not be closed: its lease will run out',
      );
      this.inFlight.lose(first.flight);
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await this.#write(batch.slice(0, half));
    await this.#write(batch.slice(half));
  }
}

/** Not that Postgres is away, short of something or in each other's way, but that it can't take what it was given. */
function isAboutData(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^2[0-9A-Z]{4}$/.test(code);
}

function toClosedRun({ run, startedAt }: Flight, outcome: Outcome, nowAt: number): ClosedRun {
  const closing = closingOf(outcome, {
    retry: run.plan.retry,
    attempt: run.attempt - run.freeAttempts,
    random: Math.random(),
  });
  const answer = outcome.kind === 'succeeded' || outcome.kind === 'failed' ? outcome.answer : undefined;
  return {
    scheduleId: run.scheduleId,
    occurrenceAt: run.occurrenceAt,
    origin: run.origin,
    epoch: run.epoch,
    projectId: run.projectId,
    version: run.version,
    dueAt: run.dueAt,
    isWritten: run.isWritten,
    status: closing.status,
    outcome: outcome.kind === 'deferred' ? null : outcome.kind,
    durationMs: Math.round(performance.now() - startedAt),
    httpStatus: answer?.httpStatus ?? null,
    ...whyOf(outcome),
    response: answer?.response ?? null,
    externalId: answer?.externalId ?? null,
    retryInMs: outcome.kind === 'deferred' ? togetherMs(outcome.retryInMs, nowAt) : closing.retryInMs,
    receipt: receiptOf(run, outcome, { status: closing.status, nowAt }),
  };
}

/** Those who are put off come back a quarter of a second's worth at a time: each instant of its own would be a bell and a claim. */
const TOGETHER_MS = 250;

function togetherMs(retryInMs: number, nowAt: number): number {
  return Math.round(Math.ceil((nowAt + retryInMs) / TOGETHER_MS) * TOGETHER_MS - nowAt);
}

function whyOf(outcome: Outcome): Pick<ClosedRun, 'errorCode' | 'error'> {
  if (outcome.kind === 'failed') return { errorCode: outcome.errorCode, error: outcome.error };
  if (outcome.kind === 'deferred') return { errorCode: outcome.reasonCode, error: outcome.reason };
  return NOTHING_WRONG;
}

const NOTHING_WRONG = { errorCode: null, error: null };
