import type { FastifyRequest } from 'fastify';
import { requireSameOrigin, tokenInCookie } from './session.js';

/**
 * A request is authenticated by an API key or by the token of a session. A key is not accepted as a token, nor a token
 * as a key.
 */
export interface Credential {
  kind: 'key' | 'session';
  secret: string;
}

/** Reads the credential of a request. The `Authorization` header wins over the cookie. Null without either. */
export function credentialOf(request: FastifyRequest): Credential | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const [, key] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization) ?? [];
    return key === undefined ? null : { kind: 'key', secret: key };
  }
  const token = tokenInCookie(request);
  if (token === null) return null;
  // A browser also sends the cookie with requests that another site made it send, so the origin is checked.
  requireSameOrigin(request);
  return { kind: 'session', secret: token };
}
