import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** The content security policy of JSON responses. */
const DATA_POLICY = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };

/**
 * The content security policy of the dashboard and the guide: scripts and styles from this origin only, nothing inline,
 * and no text that the DOM could run as a script (trusted types).
 */
export const DASHBOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** The content security policy of Bull Board and of the sign-in page, which have inline scripts and styles. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'";

/** The content security policy of plain HTML pages: inline styles, but no scripts. */
export const TEXT_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The content security policy of the API reference: scripts and styles from this origin only, nothing inline. */
export const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Sets security headers on every response. By default a response must not be cached (`no-store`). HSTS is left to the
 * proxy that terminates TLS, because HSTS applies to the whole domain.
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
