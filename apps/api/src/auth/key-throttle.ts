import { isIPv6 } from 'node:net';
import type { KeyOwner } from '@carillon/db';
import type { Credential } from './credential.js';
import type { KeyCache } from './key-cache.js';
import { tooManyRequests } from './rate-limit.js';
import { TokenBuckets } from './token-buckets.js';
import type { UsageBus } from './usage-bus.js';

/**
 * Looks up keys, and limits failed lookups per client address. Beyond the limit, an address is refused before Postgres
 * is queried. A valid key still passes, so that one misconfigured program does not lock out the other programs behind
 * the same address.
 */
export class KeyThrottle {
  readonly #failures: TokenBuckets<string>;

  constructor(
    private readonly keys: KeyCache,
    /** Maximum number of requests with a wrong or missing key, per minute and address; 0 for no limit. */
    private readonly failuresPerMinute: number,
    bus: UsageBus,
  ) {
    this.#failures = new TokenBuckets({ shared: { bus, name: 'failed keys' } });
  }

  /**
   * Returns the owner of a credential; null if the credential is missing, unknown, expired or revoked. Throws 429 if
   * the client address is beyond its limit of failures and the credential is not valid.
   */
  async findOwner(credential: Credential | null, ip: string): Promise<KeyOwner | null> {
    const address = addressOf(ip);
    const waitMs = this.#waitOf(address);
    if (waitMs > 0 && !(credential && (await this.#isValid(credential)))) throw refusal(waitMs);
    const owner = credential ? await this.keys.findOwner(credential) : null;
    if (!owner && this.failuresPerMinute > 0) this.#failures.take(address, this.failuresPerMinute);
    return owner;
  }

  /** How long the address must wait; 0 unless it is beyond its limit. */
  #waitOf(address: string): number {
    return this.failuresPerMinute === 0 ? 0 : this.#failures.peek(address, this.failuresPerMinute).waitMs;
  }

  async #isValid(credential: Credential): Promise<boolean> {
    return this.keys.wasRecentlyValid(credential) || this.keys.wasIssued(credential);
  }
}

const refusal = (waitMs: number) =>
  tooManyRequests('too_many_invalid_keys', {
    detail: 'too many requests without a valid API key from this address',
    waitMs,
  });

/**
 * The address under which failures are counted. An IPv6 address counts as its /64 network, because one customer gets at
 * least a /64.
 */
export function addressOf(ip: string): string {
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return ip;
  const [head = '', tail] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail ? tail.split(':') : [])];
  return all.slice(0, 4).join(':');
}
