import type { KeyOwner, Scope } from '@carillon/db';
import type { FastifyRequest } from 'fastify';
import type { KeyRing } from '../key-ring.js';
import { HttpProblem } from '../problem.js';
import { keyInCookie, requireSameOrigin } from '../session.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks. Set on every route under /v1. */
    caller: KeyOwner;
  }
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="Carillon"' };

/** Finds out who asks: by the bearer key, or by the cookie of whoever signed in. Default deny: no key, no answer. */
export function authenticateBy(keys: KeyRing): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const key = keyOf(request);
    if (!key) throw new HttpProblem(401, 'send an API key: Authorization: Bearer <key>', [], CHALLENGE);
    const owner = await keys.ownerOf(key);
    if (!owner) throw new HttpProblem(401, 'this API key is unknown, expired or revoked', [], CHALLENGE);
    request.caller = owner;
  };
}

export const keyOf = (request: FastifyRequest) => keyInHeader(request) ?? keyInSession(request);

function keyInHeader({ headers }: FastifyRequest): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? '')?.[1];
}

function keyInSession(request: FastifyRequest): string | null {
  if (request.headers.authorization !== undefined) return null;
  const key = keyInCookie(request);
  // A browser sends the cookie along whoever made it ask.
  if (key) requireSameOrigin(request);
  return key;
}

const ENOUGH: Record<Scope, Scope[]> = {
  read: ['read', 'write', 'admin'],
  write: ['write', 'admin'],
  admin: ['admin'],
};

/** Admins may do everything, writers may read. */
export function requireScope(scope: Scope): (request: FastifyRequest) => Promise<void> {
  return async ({ caller }) => {
    if (!caller.scopes.some((held) => ENOUGH[scope].includes(held))) {
      throw new HttpProblem(403, `this API key lacks the scope ${scope}`);
    }
  };
}

/** Admins of the default project run the installation: they make projects, and see the queues of all of them. */
export const isOperator = ({ projectKey, scopes }: KeyOwner) =>
  projectKey === 'default' && scopes.includes('admin');

export async function requireOperator({ caller }: FastifyRequest): Promise<void> {
  if (!isOperator(caller)) {
    throw new HttpProblem(403, 'this is for keys of the default project that have the scope admin');
  }
}
