import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyPluginAsync } from 'fastify';
import type { ApiContext } from '../context.js';
import { authenticateBy, requireScope } from '../plugins/authenticate.js';

const BASE_PATH = '/queues';

/** Bull Board, for admins: the bells that Redis holds. It only shows; the truth is in Postgres. */
export const queueRoutes =
  ({ pool, bells }: ApiContext): FastifyPluginAsync =>
  async (app) => {
    app.decorateRequest('caller');
    app.addHook('onRequest', authenticateBy(pool));
    app.addHook('preHandler', requireScope('admin'));
    const server = new FastifyAdapter();
    createBullBoard({
      queues: [new BullMQAdapter(bells.queue, { readOnlyMode: true })],
      serverAdapter: server,
    });
    server.setBasePath(BASE_PATH);
    await app.register(server.registerPlugin(), { prefix: BASE_PATH });
  };
