import type { FastifyPluginAsync } from 'fastify';
import { refuseOtherSite } from '../auth/session.js';
import { signIn, signOut } from '../auth/sign-in.js';
import type { ApiContext } from '../context.js';
import { PAGE_POLICY } from '../http/security-headers.js';
import { renderSignIn } from '../pages/sign-in.js';

const HOME = '/queues';
const MAX_FORM_BYTES = 4_096;

/** The sign-in page for browsers. */
export const signInRoutes =
  (context: ApiContext): FastifyPluginAsync =>
  async (app) => {
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      async (_request: unknown, body: string | Buffer) =>
        Object.fromEntries(new URLSearchParams(String(body))),
    );
    app.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', PAGE_POLICY);
    });

    app.get('/sign-in', { schema: { hide: true } }, async ({ query }, reply) => {
      const next = localPath((query as { next?: unknown }).next);
      return reply.type('text/html; charset=utf-8').send(renderSignIn({ next }));
    });

    app.post('/sign-in', { config: { mayWrite: true }, schema: { hide: true } }, async (request, reply) => {
      const { key = '', next } = (request.body ?? {}) as { key?: string; next?: string };
      if (await signIn(context, { request, reply, key: key.trim() }))
        return reply.redirect(localPath(next), 303);
      const problem = 'This key is unknown, expired or revoked.';
      const page = renderSignIn({ next: localPath(next), problem });
      return reply.status(401).type('text/html; charset=utf-8').send(page);
    });

    app.post('/sign-out', { config: { mayWrite: true }, schema: { hide: true } }, async (request, reply) => {
      refuseOtherSite(request);
      await signOut(context, { request, reply });
      return reply.redirect('/sign-in', 303);
    });
  };

/**
 * Returns the path to go to after the sign-in. A path that leads to another site is replaced by `HOME`, to prevent open
 * redirects.
 */
function localPath(path: unknown): string {
  return typeof path === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(path) ? path : HOME;
}
