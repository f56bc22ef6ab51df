import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { openQueue, QUEUES } from '@carillon/queue';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { isOperator } from '../auth/authenticate.js';
import { requireSameOrigin, tokenInCookie } from '../auth/session.js';
import type { ApiContext } from '../context.js';
import { HttpProblem, sendProblem } from '../http/problem.js';
import { PAGE_POLICY } from '../http/security-headers.js';

const BASE_PATH = '/queues';
/**
 * Queues that other programs read or write: requests for schedules, rejected requests, and due jobs. The other queues
 * are internal.
 */
const PUBLIC_QUEUES = [QUEUES.requests, QUEUES.rejected, QUEUES.due];

/** Serves Bull Board, read-only, to operators. It shows what Redis holds; Postgres is the source of truth. */
export const queueRoutes =
  ({ throttle, redis, prefix }: ApiContext): FastifyPluginAsync =>
  async (app) => {
    if (!redis) return refuseWithoutRedis(app);
    const queues = [QUEUES.bells, QUEUES.ticks, ...PUBLIC_QUEUES].map((name) =>
      openQueue(name, { redis, prefix }),
    );
    app.addHook('onClose', async () => {
      await Promise.all(queues.map((queue) => queue.close().catch(() => {})));
    });
    app.addHook('onRequest', requireOperatorSession);
    app.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', PAGE_POLICY);
    });
    const server = new FastifyAdapter();
    createBullBoard({
      queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
      serverAdapter: server,
      options: { uiConfig: { boardTitle: 'Carillon', miscLinks: [{ text: 'API reference', url: '/docs' }] } },
    });
    server.setBasePath(BASE_PATH);
    await app.register(server.registerPlugin(), { prefix: BASE_PATH });

    async function requireOperatorSession(
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<FastifyReply | undefined> {
      const token = tokenInCookie(request);
      // A wrong token counts against the limit of failed lookups of the client address, as on every route. A request
      // without a cookie does not count.
      const owner =
        token === null
          ? null
          : await throttle.findOwner({ kind: 'session', secret: token }, request.ip).catch(problemOrThrow);
      if (owner instanceof HttpProblem) {
        sendProblem(owner, request, reply);
        return reply;
      }
      if (owner && isOperator(owner)) {
        requireSameOrigin(request);
        return undefined;
      }
      const isPage = request.headers.accept?.includes('text/html') ?? false;
      if (isPage) return reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303);
      // The problem is sent and not thrown, because the error handler of Bull Board would turn it into a 500.
      const detail = 'sign in at /sign-in with an admin key of the default project';
      sendProblem(new HttpProblem(owner ? 'operator_only' : 'missing_key', detail), request, reply);
      return reply;
    }
  };

/** Answers 404 in an installation without Redis, which has no queues to show. */
function refuseWithoutRedis(app: FastifyInstance): void {
  const refuse = async () => {
    throw new HttpProblem(
      'not_found',
      'this installation runs without Redis (REDIS_URL=none) and has no queues',
    );
  };
  app.get(BASE_PATH, refuse);
  app.get(`${BASE_PATH}/*`, refuse);
}

function problemOrThrow(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  throw error;
}
