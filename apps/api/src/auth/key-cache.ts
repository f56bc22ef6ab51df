import { timingSafeEqual } from 'node:crypto';
import { findKey, findSession, type KeyOwner, readIssuedSecrets, touchKeys } from '@carillon/db';
import { cachedFor } from '@carillon/telemetry';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Credential } from './credential.js';

/** TTL of a known key. A replica accepts a revoked key for at most this long, which is less than a second. */
const KNOWN_TTL_MS = 900;
/** TTL of an unknown key, so that a client that keeps sending it does not cause a query each time. */
const UNKNOWN_TTL_MS = 2_000;
/**
 * For this long after its last successful lookup, a credential is let through while its client address is throttled.
 * After that, the throttle looks for the credential in the list of all valid credentials.
 */
const RECENTLY_VALID_MS = 600_000;
/** TTL of the list of all valid credentials. The list is read only while a client address is throttled. */
const ISSUED_TTL_MS = 2_000;
/**
 * Maximum entries of each cache. Unknown keys have a separate cache, so a flood of them cannot evict the known ones.
 */
const MAX_ENTRIES = 10_000;
/** How often `lastUsedAt` of the keys is written, and so the precision of that time. */
const TOUCH_INTERVAL_MS = 30_000;

const SESSION_PREFIX = 'session ';

/** An API key and the token of a session never share an entry, even if their texts are equal. */
const cacheKeyOf = ({ kind, secret }: Credential) =>
  kind === 'key' ? `key ${secret}` : `${SESSION_PREFIX}${secret}`;

/** Caches the owners of API keys and of sessions. */
export class KeyCache {
  readonly #known: LRUCache<string, Promise<KeyOwner | null>>;
  readonly #unknown: LRUCache<string, true>;
  readonly #recentlyValid: LRUCache<string, true>;
  readonly #issued: () => Promise<(secret: string) => boolean>;
  #usedKeyIds = new Set<number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly pool: Pool,
    clock: { now(): number } = performance,
    /** In library mode, the key with which the process calls its own API. It exists in memory only. */
    private readonly ownKey: { key: string; owner: () => Promise<KeyOwner> } | null = null,
  ) {
    const options = { max: MAX_ENTRIES, perf: clock, ttlResolution: 0 };
    this.#known = new LRUCache({ ...options, ttl: KNOWN_TTL_MS });
    this.#unknown = new LRUCache({ ...options, ttl: UNKNOWN_TTL_MS });
    this.#recentlyValid = new LRUCache({ ...options, ttl: RECENTLY_VALID_MS });
    this.#issued = cachedFor(ISSUED_TTL_MS, () => readIssuedSecrets(pool));
  }

  /** Returns the owner of a key or a session; null if it is unknown, revoked or expired. */
  async findOwner(credential: Credential): Promise<KeyOwner | null> {
    if (this.ownKey && this.#isOwnKey(credential)) return this.ownKey.owner();
    const cacheKey = cacheKeyOf(credential);
    const known = this.#known.get(cacheKey);
    if (known) return known;
    if (this.#unknown.has(cacheKey)) return null;
    const { kind, secret } = credential;
    const owner = kind === 'key' ? findKey(this.pool, secret) : findSession(this.pool, secret);
    // Concurrent requests share the lookup. If it fails, it is removed from the cache.
    this.#known.set(cacheKey, owner);
    owner.then(
      (key) => (key ? this.#noteValid(cacheKey, key) : this.#noteUnknown(cacheKey)),
      () => this.#known.delete(cacheKey),
    );
    return owner;
  }

  /** True if this replica accepted the credential within the last ten minutes. */
  wasRecentlyValid(credential: Credential): boolean {
    return this.#isOwnKey(credential) || this.#recentlyValid.has(cacheKeyOf(credential));
  }

  /** Compares in constant time, so that the time of an answer tells nothing about the key. */
  #isOwnKey({ kind, secret }: Credential): boolean {
    if (!this.ownKey || kind !== 'key') return false;
    const [given, own] = [Buffer.from(secret), Buffer.from(this.ownKey.key)];
    return given.length === own.length && timingSafeEqual(given, own);
  }

  /**
   * True if the credential is valid, even if this replica has never seen it. The answer comes from a list that is at
   * most two seconds old, so a flood of wrong keys does not reach Postgres.
   */
  async wasIssued({ secret }: Credential): Promise<boolean> {
    const isIssued = await this.#issued();
    return isIssued(secret);
  }

  /** Drops all sessions from the cache, so that this replica refuses an ended session at once. */
  forgetSessions(): void {
    for (const cache of [this.#known, this.#recentlyValid])
      for (const cacheKey of [...cache.keys()])
        if (cacheKey.startsWith(SESSION_PREFIX)) cache.delete(cacheKey);
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const used = [...this.#usedKeyIds];
    this.#usedKeyIds = new Set();
    if (used.length > 0) await touchKeys(this.pool, used);
  }

  #noteValid(cacheKey: string, { keyId }: KeyOwner): void {
    this.#recentlyValid.set(cacheKey, true);
    this.#usedKeyIds.add(keyId);
    this.#timer ??= setTimeout(() => this.flush().catch(() => {}), TOUCH_INTERVAL_MS).unref();
  }

  #noteUnknown(cacheKey: string): void {
    this.#known.delete(cacheKey);
    this.#recentlyValid.delete(cacheKey);
    this.#unknown.set(cacheKey, true);
  }
}
