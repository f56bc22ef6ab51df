import { listRuns, readAttempts, readRun } from '@carillon/db';
import { decodeRunId, ScheduleKey } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiContext } from '../context.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentAttempt, presentRun, runIdOf } from '../present/run.js';
import { invalid, notFound } from '../problem.js';

/** The history: what ran, when, and what came back. */
export const runRoutes =
  ({ pool }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('preHandler', requireScope('read'));

    app.get(
      '/runs',
      {
        schema: {
          querystring: z.strictObject({
            schedule: ScheduleKey.optional(),
            status: z
              .enum(['queued', 'running', 'retrying', 'succeeded', 'failed', 'skipped', 'cancelled'])
              .optional(),
            from: z.coerce.date().optional(),
            to: z.coerce.date().optional(),
            limit: z.coerce.number().int().min(1).max(1_000).default(100),
            cursor: z.string().max(64).optional(),
          }),
        },
      },
      async ({ caller, query }) => {
        const { schedule, status, from, to, limit, cursor } = query;
        const after = cursor === undefined ? null : decodeRunId(cursor);
        if (cursor !== undefined && after === null)
          throw invalid([{ field: 'cursor', message: 'expected the nextCursor of a page' }]);
        const filter = { scheduleKey: schedule, status, from, to };
        const found = await listRuns(pool, { projectId: caller.projectId, filter, limit: limit + 1, after });
        const items = found.slice(0, limit);
        const last = items.at(-1);
        return {
          items: items.map(presentRun),
          nextCursor: found.length > limit && last ? runIdOf(last) : null,
        };
      },
    );

    app.get(
      '/runs/:id',
      { schema: { params: z.object({ id: z.string().max(64) }) } },
      async ({ caller, params }) => {
        const identity = decodeRunId(params.id);
        const run = identity && (await readRun(pool, caller.projectId, identity));
        if (!identity || !run) throw notFound('run', params.id);
        const attempts = await readAttempts(pool, caller.projectId, identity);
        return { ...presentRun(run), attempts: attempts.map((attempt) => presentAttempt(run, attempt)) };
      },
    );
  };
