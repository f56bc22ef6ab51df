import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** The policy of JSON responses. */
const DATA_POLICY = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };

/**
 * The policy of the dashboard: script and style from this origin only, nothing inline, and no text that becomes script
 * by way of the DOM (trusted types).
 */
export const DASHBOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** The policy of Bull Board and of the sign-in page, which carry inline script and style. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'";

/** The policy of plain HTML pages: inline style, and no script at all. */
export const TEXT_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The policy of the API reference: script and style from this origin only, nothing inline. */
export const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Sets security headers on every response. Responses are data and must not be cached (`no-store`), unless a route says otherwise.
 * HSTS is left to the proxy that terminates TLS: it concerns the whole domain.
 */
export async function registerSecurityHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: DATA_POLICY },
    frameguard: { action: 'deny' },
    strictTransportSecurity: false,
  });
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
}
