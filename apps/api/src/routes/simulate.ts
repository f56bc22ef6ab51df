import { SimulationAnswer, SimulationInput } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentSimulation } from '../present/simulation.js';
import { runSimulation } from '../schedules/run-simulation.js';

const MAX_BODY_BYTES = 2 * 1_024 * 1_024;

/** Answers what would happen to schedules in a simulated time, without saving anything. */
export const simulateRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.post(
      '/simulate',
      {
        config: { mayWrite: false },
        schema: {
          operationId: 'simulate',
          summary: 'Simulate schedules, edits and outages',
          description:
            'Plays schedules forward with the decisions of the engine. Says which occurrences would run, be skipped, be caught up or be deferred, and in which second most runs start. Saves nothing. Up to 20,000 schedules and 200,000 steps; a larger simulation is refused.',
          tags: ['Time'],
          body: SimulationInput,
          response: responses({ 200: SimulationAnswer }, ...BODY_ERRORS),
        },
        bodyLimit: MAX_BODY_BYTES,
        onRequest: [requireScope('read'), context.heavy.hook],
      },
      async (request) =>
        context.heavy.do(request, async () =>
          presentSimulation(await runSimulation(context, request.caller, request.body), request.body.limit),
        ),
    );
  };
