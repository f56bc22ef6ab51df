import { listAudit, listWorkers, readMetrics, readSystem } from '@carillon/db';
import { AuditEntry, Cursor, InstantInput, Limit, listOf, System, WorkerReplica } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answers } from '../answers.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../cursor.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentSystem } from '../present/system.js';

const tags = ['Operations'];

/** What was done by whom, and how the engine stands. */
export const operationRoutes =
  ({ pool, bells, clock }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('read'));

    app.get(
      '/audit',
      {
        schema: {
          operationId: 'listAudit',
          summary: 'The audit trail, newest first',
          tags,
          querystring: z.strictObject({
            action: z
              .string()
              .max(64)
              .optional()
              .meta({ examples: ['schedule.paused'] }),
            subject: z.string().max(128).optional(),
            from: InstantInput.optional(),
            to: InstantInput.optional(),
            limit: Limit,
            cursor: Cursor.optional(),
          }),
          response: answers({ 200: listOf(AuditEntry) }, 400),
        },
      },
      async ({ caller, query }) => {
        const { limit, cursor, ...filter } = query;
        const page = { projectId: caller.projectId, filter, limit: limit + 1, beforeId: idInCursor(cursor) };
        const { items, nextCursor } = pageOf(await listAudit(pool, page), limit, ({ id }) => id);
        return { items: items.map((entry) => ({ ...entry, at: entry.at.toISOString() })), nextCursor };
      },
    );

    app.get(
      '/workers',
      {
        schema: {
          operationId: 'listWorkers',
          summary: 'The worker replicas of the last day, newest first',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: answers({ 200: listOf(WorkerReplica) }, 400),
        },
      },
      async ({ query: { limit, cursor } }) => {
        const found = await listWorkers(pool, { limit: limit + 1, beforeId: idInCursor(cursor) });
        const { items, nextCursor } = pageOf(found, limit, ({ id }) => id);
        return {
          items: items.map((worker) => ({
            ...worker,
            startedAt: worker.startedAt.toISOString(),
            heartbeatAt: worker.heartbeatAt.toISOString(),
            stoppedAt: worker.stoppedAt?.toISOString() ?? null,
          })),
          nextCursor,
        };
      },
    );

    app.get(
      '/system',
      {
        schema: {
          operationId: 'readSystem',
          summary: 'Drift and health of the engine, in figures',
          tags,
          response: answers({ 200: System }),
        },
      },
      async () => {
        const [figures, counters, bellsArmed] = await Promise.all([
          readSystem(pool),
          readMetrics(pool),
          bells.queue.getDelayedCount().catch(() => null),
        ]);
        const clockOffsetMs = Math.round(clock.now() - Date.now());
        return presentSystem({ figures, counters, bellsArmed, clockOffsetMs });
      },
    );
  };
