import { createSession, endSession, type KeyOwner } from '@carillon/db';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../context.js';
import {
  clearSessionCookie,
  refuseOtherSite,
  SESSION_TTL_SECONDS,
  setSessionCookie,
  tokenInCookie,
} from './session.js';

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * Exchanges an API key for a session and sets the session cookie. Returns the owner of the key; null if the key is
 * unknown, expired or revoked. Failed attempts are limited per client address: beyond the limit, this function throws
 * 429.
 */
export async function signIn(
  { pool, throttle }: Pick<ApiContext, 'pool' | 'throttle'>,
  { request, reply, key }: Exchange & { key: string },
): Promise<KeyOwner | null> {
  refuseOtherSite(request);
  const isKey = /^[\x21-\x7e]{1,512}$/.test(key);
  const owner = await throttle.findOwner(isKey ? { kind: 'key', secret: key } : null, request.ip);
  if (!owner) return null;
  const { token } = await createSession(pool, { ...owner, ttlSeconds: SESSION_TTL_SECONDS });
  setSessionCookie(request, reply, token);
  return owner;
}

/** Ends the session that the cookie names, if any, and clears the cookie. */
export async function signOut(
  { pool, keys }: Pick<ApiContext, 'pool' | 'keys'>,
  { request, reply }: Exchange,
): Promise<void> {
  const token = tokenInCookie(request);
  clearSessionCookie(request, reply);
  if (token === null) return;
  await endSession(pool, token);
  keys.forgetSessions();
}
