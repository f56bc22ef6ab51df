import type { FastifyRequest } from 'fastify';
import { requireSameOrigin, tokenInCookie } from './session.js';

/**
 * An API key or the token of a session, by which a request is authenticated. A key is not accepted as a token, nor a
 * token as a key.
 */
export interface Credential {
  kind: 'key' | 'session';
  secret: string;
}

/** Reads the credential of a request; null if there is none. The `Authorization` header wins over the cookie. */
export function credentialOf(request: FastifyRequest): Credential | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const [, key] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization) ?? [];
    return key === undefined ? null : { kind: 'key', secret: key };
  }
  const token = tokenInCookie(request);
  if (token === null) return null;
  // `SameSite=Strict` keeps other sites from using the cookie, but not other origins of the same site. So the origin is
  // checked.
  requireSameOrigin(request);
  return { kind: 'session', secret: token };
}
