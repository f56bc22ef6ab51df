import { findKey, type KeyOwner, touchKeys } from '@carillon/db';
import type { Pool } from 'pg';

/** A key that was looked up is believed for this long: a revocation holds within a second on every replica. */
const BELIEVED_MS = 900;
const MOST_BELIEVED = 10_000;
/** When a key was last used is known to within this. */
const TOUCH_EVERY_MS = 30_000;

/** Knows who holds which key. */
export class KeyRing {
  readonly #believed = new Map<string, { owner: Promise<KeyOwner | null>; until: number }>();
  #used = new Set<number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly pool: Pool) {}

  /** Null for a key that is unknown, revoked or expired. */
  async ownerOf(key: string): Promise<KeyOwner | null> {
    const now = performance.now();
    const known = this.#believed.get(key);
    if (known && known.until > now) return known.owner;
    if (this.#believed.size >= MOST_BELIEVED) this.#believed.clear();
    const owner = findKey(this.pool, key);
    // Requests that come while one is looked up share its answer, unless that is an error.
    this.#believed.set(key, { owner, until: now + BELIEVED_MS });
    owner.then(
      (found) => (found ? this.#noteUse(found.keyId) : this.#believed.delete(key)),
      () => this.#believed.delete(key),
    );
    return owner;
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const used = [...this.#used];
    this.#used = new Set();
    if (used.length > 0) await touchKeys(this.pool, used);
  }

  #noteUse(keyId: number): void {
    this.#used.add(keyId);
    this.#timer ??= setTimeout(() => this.flush().catch(() => {}), TOUCH_EVERY_MS).unref();
  }
}
