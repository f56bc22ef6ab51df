import { PlanAnswer, PlanInput } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { planSchedules } from '../schedules/plan-schedules.js';

const MAX_BODY_BYTES = 16 * 1_024 * 1_024;

/** Answers what a PUT of each given schedule would change, without saving anything. */
export const planRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.post(
      '/schedules/plan',
      {
        config: { mayWrite: false },
        schema: {
          operationId: 'planSchedules',
          summary: 'Plan PUTs of up to 1,000 schedules: list what each would change',
          description:
            'Compares each schedule with the one that has its id now, field by field, and lists the next five occurrences before and after a change of the rule. Saves nothing. Needs the scope `write`, because the answer tells whether a header or a secret is the stored one.',
          tags: ['Bulk'],
          body: PlanInput,
          response: responses({ 200: PlanAnswer }, ...BODY_ERRORS),
        },
        bodyLimit: MAX_BODY_BYTES,
        onRequest: [requireScope('write'), context.heavy.hook],
      },
      async (request) =>
        context.heavy.do(request, async () => ({
          items: await planSchedules(context, request.caller, request.body.items),
        })),
    );
  };
