import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { NativeRedis } from './native-redis.js';

/** The user for which `allowDocumentedUser` sets the rule of docs/redis.md, and its password. */
export const DOCUMENTED_USER = { username: 'carillon', password: 'secret' };

function readFromPage(what: string, pattern: RegExp): string {
  const page = readFileSync(new URL('../../docs/redis.md', import.meta.url), 'utf8');
  const [, found] = pattern.exec(page) ?? [];
  if (found === undefined) throw new Error(`docs/redis.md has no ${what}`);
  return found;
}

/** Creates the user of docs/redis.md at a Redis server, with BullMQ's key prefix in the place of `bull`. */
export async function allowDocumentedUser(admin: Redis, prefix: string): Promise<void> {
  const rule = readFromPage('ACL rule', /```\nACL SETUSER carillon ([^`]+)```/)
    .replaceAll('\\\n', ' ')
    .replaceAll('bull:*', `${prefix}:*`);
  await admin.acl('SETUSER', DOCUMENTED_USER.username, ...rule.trim().split(/\s+/));
}

/** Creates a user at a Sentinel, with the rule of docs/redis.md. */
export async function allowDocumentedSentinelUser(
  admin: Redis,
  { username, password }: typeof DOCUMENTED_USER,
): Promise<void> {
  const rule = readFromPage('rule for Sentinels', /ACL rule at the Sentinels is `([^`]+)`/);
  await admin.acl('SETUSER', username, 'on', `>${password}`, ...rule.split(/\s+/));
}

/** Checks that none of these servers has denied a command to a user. */
export async function expectNothingDenied(admins: readonly Redis[]): Promise<void> {
  const denied = await Promise.all(admins.map(async (admin) => (await admin.acl('LOG')) as unknown[]));
  expect(denied.flat().map(String)).toEqual([]);
}

/** Checks that the documented user of a server may run no command that Carillon does not need. */
export async function expectOthersDenied(server: NativeRedis): Promise<void> {
  const user = server.connect(DOCUMENTED_USER);
  for (const [name = '', ...words] of [
    ['FLUSHALL'],
    ['CONFIG', 'GET', '*'],
    ['KEYS', '*'],
    ['GET', 'of-another-program'],
  ])
    await expect(user.call(name, words), name).rejects.toThrow('NOPERM');
}
