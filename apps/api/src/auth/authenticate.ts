import type { KeyOwner, Scope } from '@carillon/db';
import type { FastifyRequest } from 'fastify';
import { HttpProblem } from '../http/problem.js';
import { type Credential, credentialOf } from './credential.js';
import type { KeyThrottle } from './key-throttle.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the API key or of the session. Set on every route under /v1 that needs a key. */
    caller: KeyOwner;
    /** The API key or the session that the request was authenticated by. */
    credential: Credential;
  }
}

export const CHALLENGE = { 'www-authenticate': 'Bearer realm="Carillon"' };

/** Authenticates every request by its bearer key or by its session cookie. Answers 401 if neither is valid. */
export function authenticate(throttle: KeyThrottle): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const credential = credentialOf(request);
    const owner = await throttle.findOwner(credential, request.ip);
    if (!credential)
      throw new HttpProblem('missing_key', 'send an API key: Authorization: Bearer <key>', {
        headers: CHALLENGE,
      });
    if (!owner) throw refusalOf(credential);
    request.caller = owner;
    request.credential = credential;
  };
}

const refusalOf = ({ kind }: Credential) =>
  kind === 'key'
    ? new HttpProblem('invalid_key', 'this API key is unknown, expired or revoked', { headers: CHALLENGE })
    : new HttpProblem('session_ended', 'this session has ended; sign in again', { headers: CHALLENGE });

/** For each scope, the scopes that grant it. */
const SCOPES_THAT_INCLUDE: Record<Scope, Scope[]> = {
  read: ['read', 'write', 'admin'],
  write: ['write', 'admin'],
  admin: ['admin'],
};

/** Requires a scope. `admin` includes `write`, and `write` includes `read`. */
export function requireScope(scope: Scope): (request: FastifyRequest) => Promise<void> {
  return async ({ caller }) => {
    if (!caller.scopes.some((held) => SCOPES_THAT_INCLUDE[scope].includes(held))) {
      throw new HttpProblem('missing_scope', `this API key lacks the scope ${scope}`);
    }
  };
}

/** An operator is an admin of the default project. Operators create projects and see the queues of all projects. */
export const isOperator = ({ projectKey, scopes }: KeyOwner) =>
  projectKey === 'default' && scopes.includes('admin');

export async function requireOperator({ caller }: FastifyRequest): Promise<void> {
  if (!isOperator(caller)) {
    throw new HttpProblem('operator_only', 'this requires an admin key of the default project');
  }
}
