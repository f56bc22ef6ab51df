import type { Pages } from '../pages.js';
import type { Calls } from '../transport/calls.js';
import { pathSegment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { PageQuery } from '../types/instant.js';
import type { Key, KeyInput, NewKey } from '../types/tenancy.js';

/** API keys of the project. Requires the scope admin. */
export class Keys {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Creates a key. `key` is only in this response and cannot be read again. */
  create(key: KeyInput, options?: CallOptions): Promise<NewKey> {
    return this.#calls.change({ method: 'POST', path: '/v1/keys', body: key }, options);
  }

  /** Lists keys, including revoked ones, newest first. */
  list(query?: PageQuery, options?: CallOptions): Pages<Key> {
    return this.#calls.pages('/v1/keys', { ...query }, options);
  }

  revoke(id: number, options?: CallOptions): Promise<Key> {
    return this.#calls.change({ method: 'DELETE', path: `/v1/keys/${pathSegment(id)}` }, options);
  }
}
