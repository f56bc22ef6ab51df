import type { FastifyPluginAsync } from 'fastify';
import type { ApiContext } from '../context.js';

/** Without a key: whether this process lives, and whether it can do its work. */
export const healthRoutes =
  ({ pool, bells }: ApiContext): FastifyPluginAsync =>
  async (app) => {
    app.get('/health/live', async () => ({ status: 'ok' }));

    app.get('/health/ready', async (_request, reply) => {
      const [postgres, redis] = await Promise.all([isUp(pool.query('select 1')), isUp(bells.ping())]);
      // Without Redis schedules are accepted and swept, only later: degraded, not down.
      const status = postgres ? (redis ? 'ok' : 'degraded') : 'down';
      return reply
        .status(postgres ? 200 : 503)
        .send({ status, postgres: postgres ? 'up' : 'down', redis: redis ? 'up' : 'down' });
    });
  };

const isUp = (attempt: Promise<unknown>) =>
  attempt.then(
    () => true,
    () => false,
  );
