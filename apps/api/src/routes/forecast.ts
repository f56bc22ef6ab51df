import { readForecast } from '@carillon/db';
import { Forecast } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answers } from '../answers.js';
import type { ApiContext } from '../context.js';
import { forecastFires } from '../forecast-fires.js';
import { requireScope } from '../plugins/authenticate.js';

const HOUR_MS = 3_600_000;

/** What is to come. */
export const forecastRoutes =
  ({ pool, clock }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/forecast',
      {
        schema: {
          operationId: 'forecast',
          summary: 'Fires expected per minute',
          tags: ['Time'],
          querystring: z.strictObject({ hours: z.coerce.number().int().min(1).max(168).default(24) }),
          response: answers({ 200: Forecast }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, query }) => {
        const fromAt = Math.floor(clock.now());
        const toAt = fromAt + query.hours * HOUR_MS;
        const { groups, isComplete } = await readForecast(pool, { projectId: caller.projectId, toAt });
        const forecast = await forecastFires(groups, { fromAt, toAt });
        const minutes = [...forecast.fires].sort(([a], [b]) => a - b);
        return {
          from: new Date(fromAt).toISOString(),
          to: new Date(toAt).toISOString(),
          total: minutes.reduce((sum, [, fires]) => sum + fires, 0),
          complete: isComplete && forecast.isComplete,
          minutes: minutes.map(([at, fires]) => ({ at: new Date(at).toISOString(), fires })),
        };
      },
    );
  };
