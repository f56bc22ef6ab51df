import { readMetrics, readSystem } from '@carillon/db';
import { Health, Readiness } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiContext } from '../context.js';
import { exposition } from '../metrics/exposition.js';

const LONGEST_LOOK_MS = 2_000;
const tags = ['Health'];

/** Without a key: whether this process lives, whether it can do its work, and what was counted. */
export const healthRoutes =
  ({ pool, bells, counters }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/health/live',
      {
        schema: {
          operationId: 'isLive',
          summary: 'This process lives',
          tags,
          security: [],
          response: { 200: Health },
        },
      },
      async () => ({ status: 'ok' as const }),
    );

    app.get(
      '/health/ready',
      {
        schema: {
          operationId: 'isReady',
          summary: 'Postgres is reachable; without Redis, degraded',
          tags,
          security: [],
          response: { 200: Readiness, 503: Readiness },
        },
      },
      async (_request, reply) => {
        const [postgres, redis] = await Promise.all([isUp(pool.query('select 1')), isUp(bells.ping())]);
        // Without Redis schedules are accepted and swept, only later: degraded, not down.
        const status = postgres ? (redis ? 'ok' : 'degraded') : 'down';
        return reply
          .status(postgres ? 200 : 503)
          .send({ status, postgres: postgres ? 'up' : 'down', redis: redis ? 'up' : 'down' });
      },
    );

    app.get(
      '/metrics',
      {
        schema: {
          operationId: 'readMetrics',
          summary: 'Counters of all replicas, in Prometheus text',
          tags,
          security: [],
          response: {
            200: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } },
          },
        },
      },
      async (_request, reply) => {
        await counters.flush();
        const [counted, figures] = await Promise.all([readMetrics(pool), readSystem(pool)]);
        return reply.type('text/plain; version=0.0.4; charset=utf-8').send(exposition(counted, figures));
      },
    );
  };

const isUp = (attempt: Promise<unknown>) =>
  Promise.race([
    attempt.then(
      () => true,
      () => false,
    ),
    new Promise<boolean>((resolve) => setTimeout(resolve, LONGEST_LOOK_MS, false).unref()),
  ]);
