import type { Calls } from '../transport/calls.js';
import type { CallOptions } from '../transport/transport.js';
import type { EndedSessions } from '../types/tenancy.js';

/** Sign-in for browsers. The browser keeps the cookie, so a page creates its `Carillon` without a key. */
export class Session {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Exchanges an API key for a session cookie. */
  start(key: string, options?: CallOptions): Promise<void> {
    return this.#calls.change({ method: 'POST', path: '/v1/session', body: { key } }, options);
  }

  /** Ends the session of the cookie. */
  end(options?: CallOptions): Promise<void> {
    return this.#calls.change({ method: 'DELETE', path: '/v1/session' }, options);
  }

  /**
   * If this client sends an API key, ends all sessions of that key. Otherwise ends all sessions of the key with which
   * the session of the cookie was started.
   */
  endAll(options?: CallOptions): Promise<EndedSessions> {
    return this.#calls.change({ method: 'DELETE', path: '/v1/sessions' }, options);
  }
}
