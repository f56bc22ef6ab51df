import { healthInPhase, judgeHealth, Liveness, Readiness } from '@carillon/shared';
import { cachedFor } from '@carillon/telemetry';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiContext } from '../context.js';
import { ForecastGauge } from '../metrics/forecast-gauge.js';
import { readExposition } from '../metrics/read-exposition.js';

const CACHE_TTL_MS = 1_000;
const tags = ['Health'];

/** Routes without a key: whether this process is alive, whether it is ready, and its metrics. */
export const healthRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { health, lifecycle } = context;
    const forecast = new ForecastGauge(context.pool);
    // Metrics are cached, because they need no key: many requests must not cause many queries.
    const metrics = cachedFor(CACHE_TTL_MS, () => readExposition(context, forecast));

    app.get(
      '/health/live',
      {
        schema: {
          operationId: 'isLive',
          summary: 'Check whether this process is alive',
          tags,
          security: [],
          response: { 200: Liveness },
        },
      },
      async () => ({ status: 'ok' as const }),
    );

    app.get(
      '/health/ready',
      {
        schema: {
          operationId: 'isReady',
          summary:
            'Check whether this API is ready: 200 if Postgres answers, with the status `degraded` and its reasons while runs are late',
          tags,
          security: [],
          response: { 200: Readiness, 503: Readiness },
        },
      },
      async (_request, reply) => {
        const facts = await health();
        const judged = lifecycle.isStopping ? healthInPhase('stopping') : judgeHealth(facts);
        // A degraded API counts as ready, because it still accepts schedules. Workers may start their runs late:
        // without a wake-up, they find due work only with the next sweep (their periodic search of Postgres).
        return reply
          .status(judged.status === 'down' ? 503 : 200)
          .send({ ...judged, postgres: facts.isPostgresUp ? 'up' : 'down', redis: facts.redis });
      },
    );

    app.get(
      '/metrics',
      {
        schema: {
          operationId: 'readMetrics',
          summary: 'Read the metrics, in the text format of Prometheus',
          tags,
          security: [],
          response: {
            200: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } },
          },
        },
      },
      async (_request, reply) => {
        return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics());
      },
    );
  };
