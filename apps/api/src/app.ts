import fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { ApiContext } from './context.js';
import { authenticateBy } from './plugins/authenticate.js';
import { HttpProblem, sendProblem } from './problem.js';
import { healthRoutes } from './routes/health.js';
import { queueRoutes } from './routes/queues.js';
import { runRoutes } from './routes/runs.js';
import { scheduleActionRoutes } from './routes/schedule-actions.js';
import { scheduleRoutes } from './routes/schedules.js';

const LARGEST_BODY = 256 * 1_024;

/** The table of contents: every route of the API. */
export async function buildApp(context: ApiContext, log: Logger): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: log,
    bodyLimit: LARGEST_BODY,
    disableRequestLogging: true,
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request) => {
    throw new HttpProblem(404, `there is no ${request.method} ${request.url.split('?')[0]}`);
  });

  await app.register(healthRoutes(context));
  await app.register(queueRoutes(context));
  await app.register(
    async (v1) => {
      v1.decorateRequest('caller');
      v1.addHook('onRequest', authenticateBy(context.pool));
      await v1.register(scheduleRoutes(context));
      await v1.register(scheduleActionRoutes(context));
      await v1.register(runRoutes(context));
    },
    { prefix: '/v1' },
  );
  return app as unknown as FastifyInstance;
}
