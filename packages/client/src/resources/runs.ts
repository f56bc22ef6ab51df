import type { Pages } from '../pages.js';
import type { Calls, ChangeOptions } from '../transport/calls.js';
import { pathSegment } from '../transport/encode.js';
import { pauseFor } from '../transport/pause-for.js';
import type { CallOptions } from '../transport/transport.js';
import type { PageQuery } from '../types/instant.js';
import type {
  DeadLetterFilter,
  DeadLetters,
  ReplayAnswer,
  ReplayInput,
  Run,
  RunFilter,
  RunStatus,
  RunWithAttempts,
} from '../types/run.js';

const ENDED: readonly RunStatus[] = ['succeeded', 'failed', 'skipped', 'cancelled'];
const FIRST_POLL_DELAY_MS = 50;
const MAX_POLL_DELAY_MS = 2_000;

const path = (id: string, rest = '') => `/v1/runs/${pathSegment(id)}${rest}`;

/** Runs: their history, and the actions on them. */
export class Runs {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Lists runs, most recently changed first. */
  list(filter?: RunFilter & PageQuery, options?: CallOptions): Pages<Run> {
    return this.#calls.pages('/v1/runs', { ...filter }, options);
  }

  get(id: string, options?: CallOptions): Promise<RunWithAttempts> {
    return this.#calls.read(path(id), undefined, options);
  }

  /** Polls a run until it has ended, with any result. Pass a signal to limit the wait. */
  async ended(id: string, options?: CallOptions): Promise<RunWithAttempts> {
    for (let polls = 0; ; polls++) {
      const run = await this.get(id, options);
      if (ENDED.includes(run.status)) return run;
      await pauseFor(Math.min(MAX_POLL_DELAY_MS, FIRST_POLL_DELAY_MS * 2 ** polls), options?.signal);
    }
  }

  /** Replays a run that has ended. */
  replay(id: string, options?: ChangeOptions): Promise<RunWithAttempts> {
    return this.#calls.post(path(id, '/replay'), undefined, options);
  }

  cancel(id: string, options?: ChangeOptions): Promise<RunWithAttempts> {
    return this.#calls.post(path(id, '/cancel'), undefined, options);
  }

  /** Returns the runs that failed for good, grouped by receiver and error, the largest group first. */
  deadLetters(filter?: DeadLetterFilter, options?: CallOptions): Promise<DeadLetters> {
    return this.#calls.read('/v1/runs/dead-letters', { ...filter }, options);
  }

  /**
   * Replays all failed runs that match `input`, oldest failure first. With `dryRun`, only reports which runs would be
   * replayed.
   */
  replayAll(input: ReplayInput = {}, options?: ChangeOptions): Promise<ReplayAnswer> {
    return this.#calls.change({ method: 'POST', path: '/v1/runs/replay', body: input }, options);
  }
}
