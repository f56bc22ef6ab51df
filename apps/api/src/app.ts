import { isDatabaseAway } from '@carillon/db';
import { writeExactly } from '@carillon/shared';
import cookie from '@fastify/cookie';
import fastify, { type FastifyError, type FastifyInstance, LogController } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import { authenticate } from './auth/authenticate.js';
import { limitRate } from './auth/rate-limit.js';
import type { ApiContext } from './context.js';
import { refuseIfMatch } from './http/conditional-headers.js';
import { HTTP_LIMITS, type HttpLimits } from './http/connections.js';
import type { DashboardFiles } from './http/dashboard-files.js';
import { prefixLocations } from './http/mount-path.js';
import { HttpProblem, placeOf, sendProblem } from './http/problem.js';
import { readJson, refuseUnstorableAddress } from './http/read-json.js';
import { refreshClock } from './http/refresh-clock.js';
import { refreshEvidence } from './http/refresh-evidence.js';
import { registerSecurityHeaders } from './http/security-headers.js';
import { refuseUnservable, SERVER_PROBLEMS } from './http/server-problems.js';
import type { StaticFile } from './http/static-files.js';
import { registerOpenApi } from './openapi/register-openapi.js';
import { alertChannelRoutes } from './routes/alert-channels.js';
import { alertRoutes } from './routes/alerts.js';
import { attentionRoutes } from './routes/attention.js';
import { bulkRoutes } from './routes/bulk.js';
import { calendarRoutes } from './routes/calendars.js';
import { dashboardRoutes } from './routes/dashboard.js';
import { docRoutes } from './routes/docs.js';
import { eventRoutes } from './routes/events.js';
import { feedRoutes, feedTokenRoutes } from './routes/feeds.js';
import { forecastRoutes } from './routes/forecast.js';
import { guideRoutes } from './routes/guide.js';
import { healthRoutes } from './routes/health.js';
import { heartbeatRoutes } from './routes/heartbeats.js';
import { keyRoutes } from './routes/keys.js';
import { ledgerRoutes } from './routes/ledger.js';
import { occurrenceAuditRoutes } from './routes/occurrence-audit.js';
import { operationRoutes } from './routes/operations.js';
import { pingRoutes } from './routes/pings.js';
import { planRoutes } from './routes/plan-schedules.js';
import { projectSecretRoutes } from './routes/project-secret.js';
import { projectRoutes } from './routes/projects.js';
import { putScheduleRoutes } from './routes/put-schedule.js';
import { queueRoutes } from './routes/queues.js';
import { reminderRoutes } from './routes/reminders.js';
import { ruleRoutes } from './routes/rules.js';
import { runActionRoutes } from './routes/run-actions.js';
import { runRoutes } from './routes/runs.js';
import { scheduleActionRoutes } from './routes/schedule-actions.js';
import { scheduleRoutes } from './routes/schedules.js';
import { sessionRoutes, signInByKeyRoutes } from './routes/session.js';
import { signInRoutes } from './routes/sign-in.js';
import { simulateRoutes } from './routes/simulate.js';
import { statsRoutes } from './routes/stats.js';
import { taskRoutes } from './routes/tasks.js';
import { templateRoutes } from './routes/templates.js';
import { userRoutes } from './routes/users.js';
import { versionRoutes } from './routes/versions.js';

const MAX_BODY_BYTES = 256 * 1_024;

interface AppOptions {
  withQueues?: boolean;
  /** Null if the dashboard was not built. The page at `/` then says so. */
  dashboard?: DashboardFiles | null;
  /** Null if the guide is not built: the page at `/guide/` then says so. */
  guide?: ReadonlyMap<string, StaticFile> | null;
  trustProxy?: boolean | string[];
  limits?: HttpLimits;
}

/** Builds the API. This file lists every route. */
export async function buildApp(
  context: ApiContext,
  log: Logger,
  {
    withQueues = true,
    dashboard = null,
    guide = null,
    trustProxy = false,
    limits = HTTP_LIMITS,
  }: AppOptions = {},
): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: log,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: limits.requestTimeoutMs,
    ...SERVER_PROBLEMS,
    http: {
      requireHostHeader: false,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
    },
    trustProxy,
    logController: new LogController({ disableRequestLogging: true }),
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  // Response schemas only document the API. Tests check responses against them; doing so at run time would cost too
  // much.
  app.setSerializerCompiler(() => writeExactly);
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (isDatabaseAway(error))
      context.postgres.report(error, 'Request failed', { reqId: request.id, ...placeOf(request) });
    sendProblem(error, request, reply);
  });
  app.setNotFoundHandler((request) => {
    throw new HttpProblem('route_not_found', `there is no ${request.method} ${request.url.split('?')[0]}`);
  });
  readJson(app as unknown as FastifyInstance);
  // Cookies are parsed only for requests without an API key, not for every request.
  await app.register(cookie, { hook: false });
  await registerSecurityHeaders(app as unknown as FastifyInstance);
  refuseUnservable(app as unknown as FastifyInstance);
  prefixLocations(app as unknown as FastifyInstance);
  await registerOpenApi(app as unknown as FastifyInstance);

  await app.register(healthRoutes(context));
  await app.register(docRoutes);
  await app.register(pingRoutes(context));
  await app.register(signInRoutes(context));
  await app.register(dashboardRoutes(dashboard));
  await app.register(guideRoutes(guide));
  if (withQueues) await app.register(queueRoutes(context));
  await app.register(signInByKeyRoutes(context), { prefix: '/v1' });
  await app.register(feedRoutes(context), { prefix: '/v1' });
  await app.register(
    async (v1) => {
      v1.decorateRequest('caller');
      v1.decorateRequest('credential');
      v1.addHook('onRequest', authenticate(context.throttle));
      v1.addHook('onRequest', limitRate(context.requestsPerMinute, context.usage));
      v1.addHook('onRequest', refuseIfMatch);
      v1.addHook('onRequest', refreshClock(context));
      v1.addHook('onResponse', refreshEvidence(context));
      v1.addHook('preValidation', refuseUnstorableAddress);
      await v1.register(scheduleRoutes(context));
      await v1.register(putScheduleRoutes(context));
      await v1.register(planRoutes(context));
      await v1.register(scheduleActionRoutes(context));
      await v1.register(bulkRoutes(context));
      await v1.register(calendarRoutes(context));
      await v1.register(ruleRoutes(context));
      await v1.register(ledgerRoutes(context));
      await v1.register(versionRoutes(context));
      await v1.register(forecastRoutes(context));
      await v1.register(simulateRoutes(context));
      await v1.register(feedTokenRoutes(context));
      await v1.register(runRoutes(context));
      await v1.register(runActionRoutes(context));
      await v1.register(statsRoutes(context));
      await v1.register(eventRoutes(context));
      await v1.register(sessionRoutes(context));
      await v1.register(keyRoutes(context));
      await v1.register(projectRoutes(context));
      await v1.register(projectSecretRoutes(context));
      await v1.register(userRoutes(context));
      await v1.register(reminderRoutes(context));
      await v1.register(taskRoutes(context));
      await v1.register(templateRoutes(context));
      await v1.register(operationRoutes(context));
      await v1.register(occurrenceAuditRoutes(context));
      await v1.register(attentionRoutes(context));
      await v1.register(alertRoutes(context));
      await v1.register(alertChannelRoutes(context));
      await v1.register(heartbeatRoutes(context));
    },
    { prefix: '/v1' },
  );
  return app as unknown as FastifyInstance;
}
