import type { FastifyReply, FastifyRequest } from 'fastify';

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};
const FOR_DATA = "default-src 'none'; frame-ancestors 'none'";

/** Answers are data, to be kept by nobody on the way; the few pages set a policy of their own. */
export async function setSecurityHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(ALWAYS);
  if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', FOR_DATA);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
}

/** For pages that carry their own script and style. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'";
