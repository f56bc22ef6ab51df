import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from './problem.js';

/** The key of whoever signed in by browser. Scripts can't read it, and other sites can't make a browser send it. */
const COOKIE = 'carillon_key';
const LASTS_SECONDS = 7 * 86_400;

export function keyInCookie({ headers }: FastifyRequest): string | null {
  const found = new RegExp(
    `(?:^|;\\s*)${COOKIE}=([\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]{1,512})`,
  ).exec(headers.cookie ?? '');
  return found?.[1] ?? null;
}

export function startSession(request: FastifyRequest, reply: FastifyReply, key: string): void {
  setCookie(request, reply, key, LASTS_SECONDS);
}

export function endSession(request: FastifyRequest, reply: FastifyReply): void {
  setCookie(request, reply, '', 0);
}

function setCookie({ protocol }: FastifyRequest, reply: FastifyReply, value: string, seconds: number): void {
  const secure = protocol === 'https' ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
  );
}

/** Refuses what another site made a browser send. Reading is harmless: no other site can see the answer. */
export function requireSameOrigin({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  const site = headers['sec-fetch-site'];
  const isSame = site === undefined ? hostOf(headers.origin) === headers.host : site === 'same-origin';
  if (!isSame) throw new HttpProblem(403, 'this request came from another site');
}

function hostOf(origin: string | undefined): string | null {
  return origin && URL.canParse(origin) ? new URL(origin).host : null;
}
