import { listRuns, readAttempts, readRun } from '@carillon/db';
import {
  decodeRunId,
  InstantInput,
  Limit,
  listOf,
  RUN_STATUSES,
  Run,
  RunId,
  RunWithAttempts,
  ScheduleKey,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answers } from '../answers.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, pageOf } from '../cursor.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentAttempt, presentRun, runIdOf } from '../present/run.js';
import { invalid, notFound } from '../problem.js';

const tags = ['Runs'];

/** The history: what ran, when, and what came back. */
export const runRoutes =
  ({ pool }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('read'));

    app.get(
      '/runs',
      {
        schema: {
          operationId: 'listRuns',
          summary: 'List runs, latest occurrence first',
          tags,
          querystring: z.strictObject({
            schedule: ScheduleKey.optional(),
            status: z.enum(RUN_STATUSES).optional(),
            from: InstantInput.optional(),
            to: InstantInput.optional(),
            limit: Limit,
            cursor: z.string().max(200).optional(),
          }),
          response: answers({ 200: listOf(Run) }, 400),
        },
      },
      async ({ caller, query }) => {
        const { schedule, status, from, to, limit, cursor } = query;
        const after = cursor === undefined ? null : decodeRunId(decodeCursor(cursor));
        if (cursor !== undefined && after === null) {
          throw invalid([{ field: 'cursor', message: 'expected the nextCursor of a page' }]);
        }
        const filter = { scheduleKey: schedule, status, from, to };
        const found = await listRuns(pool, { projectId: caller.projectId, filter, limit: limit + 1, after });
        const { items, nextCursor } = pageOf(found, limit, runIdOf);
        return { items: items.map(presentRun), nextCursor };
      },
    );

    app.get(
      '/runs/:id',
      {
        schema: {
          operationId: 'readRun',
          summary: 'One run, with its attempts and what came back',
          tags,
          params: z.object({ id: RunId }),
          response: answers({ 200: RunWithAttempts }, 400, 404),
        },
      },
      async ({ caller, params }) => {
        const identity = decodeRunId(params.id);
        const run = identity && (await readRun(pool, caller.projectId, identity));
        if (!identity || !run) throw notFound('run', params.id);
        const attempts = await readAttempts(pool, caller.projectId, identity);
        return { ...presentRun(run), attempts: attempts.map((attempt) => presentAttempt(run, attempt)) };
      },
    );
  };
