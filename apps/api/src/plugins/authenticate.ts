import { findKey, type KeyOwner, type Scope } from '@carillon/db';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { HttpProblem } from '../problem.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks. Set on every route under /v1. */
    caller: KeyOwner;
  }
}

/** A key that was looked up is believed for this long: a revocation holds within a second on every replica. */
const BELIEVED_MS = 1_000;
const MOST_BELIEVED = 10_000;

/** Finds out who asks, by the bearer key. Default deny: no key, no answer. */
export function authenticateBy(pool: Pool): (request: FastifyRequest) => Promise<void> {
  const believed = new Map<string, { owner: KeyOwner; until: number }>();
  return async (request) => {
    const [, key] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!key) throw new HttpProblem(401, 'send an API key: Authorization: Bearer <key>');
    const now = performance.now();
    const known = believed.get(key);
    if (known && known.until > now) {
      request.caller = known.owner;
      return;
    }
    const owner = await findKey(pool, key);
    believed.delete(key);
    if (!owner) throw new HttpProblem(401, 'this API key is unknown, expired or revoked');
    if (believed.size >= MOST_BELIEVED) believed.clear();
    believed.set(key, { owner, until: now + BELIEVED_MS });
    request.caller = owner;
  };
}

/** Admins may do everything, writers may read. */
export function requireScope(scope: Scope): (request: FastifyRequest) => Promise<void> {
  const enough: Record<Scope, Scope[]> = {
    read: ['read', 'write', 'admin'],
    write: ['write', 'admin'],
    admin: ['admin'],
  };
  return async ({ caller }) => {
    if (!caller.scopes.some((held) => enough[scope].includes(held))) {
      throw new HttpProblem(403, `this API key lacks the scope ${scope}`);
    }
  };
}
