import { ensureAdminKey, openDatabase, revokeKey } from '@carillon/db';
import { TcpProxy, useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { KeyCache } from '../src/auth/key-cache.js';

const database = useDatabase();
const keyOf = (name: string) => `ck_${name}`.padEnd(40, 'x');
const credentialOf = (name: string) => ({ kind: 'key' as const, secret: keyOf(name) });

/**
 * A cache with a clock that the test sets, and a count of the connections that were taken from the pool, one per
 * lookup.
 */
function useCache() {
  const clock = { at: 1, now: () => clock.at };
  let lookups = 0;
  database.pool.on('acquire', () => lookups++);
  return { clock, cache: new KeyCache(database.pool, clock), lookups: () => lookups };
}

describe('KeyCache', () => {
  it('key cache: concurrent requests with one key share a lookup, and a valid key is cached for less than a second', async () => {
    const { clock, cache, lookups } = useCache();
    await ensureAdminKey(database.pool, keyOf('shared'));
    const before = lookups();
    const owners = await Promise.all(
      Array.from({ length: 10 }, () => cache.findOwner(credentialOf('shared'))),
    );
    expect(new Set(owners).size).toBe(1);
    expect(lookups() - before).toBe(1);
    clock.at += 800;
    await cache.findOwner(credentialOf('shared'));
    expect(lookups() - before).toBe(1);
    clock.at += 200;
    await cache.findOwner(credentialOf('shared'));
    expect(lookups() - before).toBe(2);
  });

  it('key cache: a revoked key is refused as soon as its cache entry has expired', async () => {
    const { clock, cache } = useCache();
    await ensureAdminKey(database.pool, keyOf('revoked'));
    const owner = await cache.findOwner(credentialOf('revoked'));
    await revokeKey(database.pool, { projectId: database.projectId, id: owner?.keyId ?? 0, actor: 'test' });
    clock.at += 1_000;
    expect(await cache.findOwner(credentialOf('revoked'))).toBeNull();
    expect(cache.wasRecentlyValid(credentialOf('revoked'))).toBe(false);
  });

  it('key cache: an unknown key is cached for two seconds, then looked up again', async () => {
    const { clock, cache } = useCache();
    expect(await cache.findOwner(credentialOf('later'))).toBeNull();
    await ensureAdminKey(database.pool, keyOf('later'));
    clock.at += 1_900;
    expect(await cache.findOwner(credentialOf('later'))).toBeNull();
    clock.at += 200;
    expect(await cache.findOwner(credentialOf('later'))).toMatchObject({ projectKey: 'default' });
    expect(cache.wasRecentlyValid(credentialOf('later'))).toBe(true);
    clock.at += 601_000;
    expect(cache.wasRecentlyValid(credentialOf('later'))).toBe(false);
  });

  it('key cache: the failure of a lookup is not cached', async () => {
    await ensureAdminKey(database.pool, keyOf('away'));
    const proxy = await TcpProxy.before(database.url);
    const pool = openDatabase({
      url: proxy.url(database.url),
      max: 1,
      applicationName: 'carillon-test',
      onError: () => {},
    });
    const cache = new KeyCache(pool, { now: () => 1 });
    proxy.refuse();
    await expect(cache.findOwner(credentialOf('away'))).rejects.toThrow();
    proxy.pass();
    expect(await cache.findOwner(credentialOf('away'))).toMatchObject({ projectKey: 'default' });
    await pool.end();
    await proxy.close();
  });
});
