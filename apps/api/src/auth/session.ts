import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../http/problem.js';

/** TTL of a session. Using the session does not extend it. */
export const SESSION_TTL_SECONDS = 7 * 86_400;

/**
 * The name of the session cookie. Browsers accept the prefix `__Host-` only from https and only without a domain, so no
 * other host of the same site can set the cookie.
 */
const cookieName = ({ protocol }: FastifyRequest) =>
  protocol === 'https' ? '__Host-carillon_session' : 'carillon_session';

/** Scripts can't read the cookie, and other sites can't make a browser send it. */
const COOKIE = { path: '/', httpOnly: true, sameSite: 'strict', secure: 'auto' } as const;

export function tokenInCookie(request: FastifyRequest): string | null {
  const { cookie } = request.headers;
  const token = cookie && request.server.parseCookie(cookie)[cookieName(request)];
  return token && /^[\w-]{43}$/.test(token) ? token : null;
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(cookieName(request), token, { ...COOKIE, maxAge: SESSION_TTL_SECONDS });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieName(request), COOKIE);
}

type Origin = 'same' | 'other' | 'unknown';

/**
 * Says which site a request comes from. Browsers send `Sec-Fetch-Site` over https and to loopback, and `Origin` with
 * every cross-site request that may change something. Other programs send neither.
 */
function originOf({ headers, host }: FastifyRequest): Origin {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'same' : 'other';
  if (headers.origin === undefined) return 'unknown';
  return URL.canParse(headers.origin) && new URL(headers.origin).host === host ? 'same' : 'other';
}

const FROM_OTHER_SITE = 'this request came from another site';

/**
 * Refuses a change that does not provably come from our own page. This is the defence against CSRF besides SameSite.
 * Reads pass, because another site cannot see the response.
 */
export function requireSameOrigin(request: FastifyRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  if (originOf(request) !== 'same') throw new HttpProblem('cross_site_request', FROM_OTHER_SITE);
}

/**
 * Refuses a sign-in that another site has caused. Programs other than browsers send neither `Sec-Fetch-Site` nor
 * `Origin`, so they may sign in.
 */
export function refuseOtherSite(request: FastifyRequest): void {
  if (originOf(request) === 'other') throw new HttpProblem('cross_site_request', FROM_OTHER_SITE);
}
