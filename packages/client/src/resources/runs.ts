import type { Pages } from '../pages.js';
import type { Calls, ChangeOptions } from '../transport/calls.js';
import { segment } from '../transport/encode.js';
import { pauseFor } from '../transport/pause-for.js';
import type { CallOptions } from '../transport/transport.js';
import type { PageQuery } from '../types/instant.js';
import type { ReplayAnswer, ReplayInput, Run, RunFilter, RunStatus, RunWithAttempts } from '../types/run.js';

const ENDED: readonly RunStatus[] = ['succeeded', 'failed', 'skipped', 'cancelled'];
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

const path = (id: string, rest = '') => `/v1/runs/${segment(id)}${rest}`;

/** The history: what ran, when, and what came back. */
export class Runs {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Latest occurrence first. */
  list(filter?: RunFilter & PageQuery, options?: CallOptions): Pages<Run> {
    return this.#calls.pages('/v1/runs', { ...filter }, options);
  }

  get(id: string, options?: CallOptions): Promise<RunWithAttempts> {
    return this.#calls.read(path(id), undefined, options);
  }

  /** Waits until a run has ended, however it did. Give a signal to wait for so long and no longer. */
  async ended(id: string, options?: CallOptions): Promise<RunWithAttempts> {
    for (let looks = 0; ; looks++) {
      const run = await this.get(id, options);
      if (ENDED.includes(run.status)) return run;
      await pauseFor(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** looks), options?.signal);
    }
  }

  /** Tries a run that has ended once more. */
  replay(id: string, options?: ChangeOptions): Promise<RunWithAttempts> {
    return this.#calls.post(path(id, '/replay'), undefined, options);
  }

  cancel(id: string, options?: ChangeOptions): Promise<RunWithAttempts> {
    return this.#calls.post(path(id, '/cancel'), undefined, options);
  }

  /** All failed ones that match, those that failed first first. */
  replayAll(input: ReplayInput = {}, options?: ChangeOptions): Promise<ReplayAnswer> {
    return this.#calls.change({ method: 'POST', path: '/v1/runs/replay', body: input }, options);
  }
}
