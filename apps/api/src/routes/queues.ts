import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { openQueue, QUEUES } from '@carillon/queue';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../context.js';
import { isOperator } from '../plugins/authenticate.js';
import { PAGE_POLICY } from '../plugins/security-headers.js';
import { HttpProblem, sendProblem } from '../problem.js';
import { keyInCookie, requireSameOrigin } from '../session.js';

const BASE_PATH = '/queues';
/** What programs put in and take out; the rest is Carillon's own. */
const OUTSIDE = [QUEUES.requests, QUEUES.rejected, QUEUES.due];

/** Bull Board, for those who run the installation: what Redis holds. It only shows; the truth is in Postgres. */
export const queueRoutes =
  ({ keys, bells, redis, prefix }: ApiContext): FastifyPluginAsync =>
  async (app) => {
    const others = [QUEUES.ticks, ...OUTSIDE].map((name) => openQueue(name, { redis, prefix }));
    app.addHook('onClose', async () => {
      await Promise.all(others.map((queue) => queue.close().catch(() => {})));
    });
    app.addHook('onRequest', admit);
    app.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', PAGE_POLICY);
    });
    const server = new FastifyAdapter();
    createBullBoard({
      queues: [bells.queue, ...others].map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
      serverAdapter: server,
      options: { uiConfig: { boardTitle: 'Carillon', miscLinks: [{ text: 'API reference', url: '/docs' }] } },
    });
    server.setBasePath(BASE_PATH);
    await app.register(server.registerPlugin(), { prefix: BASE_PATH });

    async function admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
      const key = keyInCookie(request);
      const owner = key === null ? null : await keys.ownerOf(key);
      if (owner && isOperator(owner)) {
        requireSameOrigin(request);
        return undefined;
      }
      const isPage = request.headers.accept?.includes('text/html') ?? false;
      if (isPage) return reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303);
      // Not thrown: Bull Board has an error handler of its own, which makes everything a 500.
      const detail = 'sign in at /sign-in with an admin key of the default project';
      sendProblem(new HttpProblem(owner ? 403 : 401, detail), request, reply);
      return reply;
    }
  };
