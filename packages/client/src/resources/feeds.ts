import type { Pages } from '../pages.js';
import type { Calls } from '../transport/calls.js';
import { pathSegment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { Feed, FeedInput, NewFeed } from '../types/feed.js';
import type { PageQuery } from '../types/instant.js';

/** iCal feeds of coming occurrences and past outcomes, each with a token of its own. */
export class Feeds {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Creates a feed. Only this answer holds its token. */
  create(feed: FeedInput, options?: CallOptions): Promise<NewFeed> {
    // The API does not keep an answer with a token, so it cannot repeat it: this request is not retried.
    return this.#calls.change({ method: 'POST', path: '/v1/feeds', body: feed }, options);
  }

  list(query?: PageQuery, options?: CallOptions): Pages<Feed> {
    return this.#calls.pages('/v1/feeds', { ...query }, options);
  }

  /** Revokes a feed: its token reads nothing any more. */
  async revoke(id: number, options?: CallOptions): Promise<void> {
    await this.#calls.change({ method: 'DELETE', path: `/v1/feeds/${pathSegment(String(id))}` }, options);
  }
}
