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

  /** Creates a feed. Its token is only in this response. */
  create(feed: FeedInput, options?: CallOptions): Promise<NewFeed> {
    // This request is not retried if its outcome is unknown: the API does not store a response that holds a token, so
    // it could not repeat that response.
    return this.#calls.change({ method: 'POST', path: '/v1/feeds', body: feed }, options);
  }

  list(query?: PageQuery, options?: CallOptions): Pages<Feed> {
    return this.#calls.pages('/v1/feeds', { ...query }, options);
  }

  /** Revokes a feed. From then on, its token reads nothing. */
  async revoke(id: number, options?: CallOptions): Promise<void> {
    await this.#calls.change({ method: 'DELETE', path: `/v1/feeds/${pathSegment(String(id))}` }, options);
  }
}
