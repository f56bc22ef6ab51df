import fastify, { type FastifyInstance, LogController } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { ApiContext } from './context.js';
import { registerOpenApi } from './openapi/register-openapi.js';
import { authenticateBy } from './plugins/authenticate.js';
import { keepClock } from './plugins/keep-clock.js';
import { limitRate } from './plugins/rate-limit.js';
import { readJson, refuseUnstorableAddress } from './plugins/read-json.js';
import { setSecurityHeaders } from './plugins/security-headers.js';
import { HttpProblem, sendProblem } from './problem.js';
import { bulkRoutes } from './routes/bulk.js';
import { calendarRoutes } from './routes/calendars.js';
import { docRoutes } from './routes/docs.js';
import { eventRoutes } from './routes/events.js';
import { forecastRoutes } from './routes/forecast.js';
import { healthRoutes } from './routes/health.js';
import { keyRoutes } from './routes/keys.js';
import { ledgerRoutes } from './routes/ledger.js';
import { operationRoutes } from './routes/operations.js';
import { projectSecretRoutes } from './routes/project-secret.js';
import { projectRoutes } from './routes/projects.js';
import { queueRoutes } from './routes/queues.js';
import { reminderRoutes } from './routes/reminders.js';
import { ruleRoutes } from './routes/rules.js';
import { runActionRoutes } from './routes/run-actions.js';
import { runRoutes } from './routes/runs.js';
import { scheduleActionRoutes } from './routes/schedule-actions.js';
import { scheduleRoutes } from './routes/schedules.js';
import { signInRoutes } from './routes/sign-in.js';
import { taskRoutes } from './routes/tasks.js';
import { templateRoutes } from './routes/templates.js';
import { userRoutes } from './routes/users.js';

const LARGEST_BODY = 256 * 1_024;

/** The table of contents: every route of the API. */
export async function buildApp(
  context: ApiContext,
  log: Logger,
  { withQueues = true }: { withQueues?: boolean } = {},
): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: log,
    bodyLimit: LARGEST_BODY,
    logController: new LogController({ disableRequestLogging: true }),
    // Ids have up to 128 characters; what is longer is refused by its schema, not by the router.
    routerOptions: { maxParamLength: 1_024 },
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  // What routes send is described by their schemas and held against them in tests, not on every answer.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request) => {
    throw new HttpProblem(404, `there is no ${request.method} ${request.url.split('?')[0]}`);
  });
  readJson(app as unknown as FastifyInstance);
  app.addHook('onSend', setSecurityHeaders);
  await registerOpenApi(app as unknown as FastifyInstance);

  await app.register(healthRoutes(context));
  await app.register(docRoutes);
  await app.register(signInRoutes(context));
  if (withQueues) await app.register(queueRoutes(context));
  await app.register(
    async (v1) => {
      v1.decorateRequest('caller');
      v1.addHook('onRequest', authenticateBy(context.keys));
      v1.addHook('onRequest', limitRate(context.requestsPerMinute));
      v1.addHook('onRequest', keepClock(context));
      v1.addHook('preValidation', refuseUnstorableAddress);
      await v1.register(scheduleRoutes(context));
      await v1.register(scheduleActionRoutes(context));
      await v1.register(bulkRoutes(context));
      await v1.register(calendarRoutes(context));
      await v1.register(ruleRoutes(context));
      await v1.register(ledgerRoutes(context));
      await v1.register(forecastRoutes(context));
      await v1.register(runRoutes(context));
      await v1.register(runActionRoutes(context));
      await v1.register(eventRoutes(context));
      await v1.register(keyRoutes(context));
      await v1.register(projectRoutes(context));
      await v1.register(projectSecretRoutes(context));
      await v1.register(userRoutes(context));
      await v1.register(reminderRoutes(context));
      await v1.register(taskRoutes(context));
      await v1.register(templateRoutes(context));
      await v1.register(operationRoutes(context));
    },
    { prefix: '/v1' },
  );
  return app as unknown as FastifyInstance;
}
