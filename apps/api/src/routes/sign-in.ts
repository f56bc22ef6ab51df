import type { FastifyPluginAsync } from 'fastify';
import type { ApiContext } from '../context.js';
import { renderSignIn } from '../pages/sign-in.js';
import { PAGE_POLICY } from '../plugins/security-headers.js';
import { endSession, requireSameOrigin, startSession } from '../session.js';

const HOME = '/queues';
const LARGEST_FORM = 4_096;

/** The sign-in page of whatever people look at in a browser. */
export const signInRoutes =
  ({ keys }: Pick<ApiContext, 'keys'>): FastifyPluginAsync =>
  async (app) => {
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: LARGEST_FORM },
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

    app.post('/sign-in', { schema: { hide: true } }, async (request, reply) => {
      requireSameOrigin(request);
      const { key, next } = (request.body ?? {}) as { key?: string; next?: string };
      const trimmed = key?.trim() ?? '';
      const owner =
        /^[\x21-\x7e]{1,512}$/.test(trimmed) && !/[",;\\]/.test(trimmed) ? await keys.ownerOf(trimmed) : null;
      if (!owner) {
        const problem = 'This key is unknown, expired or revoked.';
        const page = renderSignIn({ next: localPath(next), problem });
        return reply.status(401).type('text/html; charset=utf-8').send(page);
      }
      startSession(request, reply, trimmed);
      return reply.redirect(localPath(next), 303);
    });

    app.post('/sign-out', { schema: { hide: true } }, async (request, reply) => {
      requireSameOrigin(request);
      endSession(request, reply);
      return reply.redirect('/sign-in', 303);
    });
  };

/** Only ever to a page of ours: what leads elsewhere leads home. */
function localPath(path: unknown): string {
  return typeof path === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(path) ? path : HOME;
}
