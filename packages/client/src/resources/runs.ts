import type { Pages } from '../pages.js';
import type { Calls, ChangeOptions } from '../transport/calls.js';
import { segment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { PageQuery } from '../types/instant.js';
import type { ReplayAnswer, ReplayInput, Run, RunFilter, RunWithAttempts } from '../types/run.js';

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
