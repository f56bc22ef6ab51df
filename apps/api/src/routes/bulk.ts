import { countSchedules } from '@carillon/db';
import { ActionAnswer, ActionInput, BulkAnswer, BulkInput } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { actOnMany, requireFittingFields } from '../act-on-many.js';
import { answerOnce } from '../answer-once.js';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { createMany } from '../create-many.js';
import { encodeCursor, idInCursor } from '../cursor.js';
import { requireScope } from '../plugins/authenticate.js';

const LARGEST_BULK = 16 * 1_024 * 1_024;
const tags = ['Bulk'];

/** Many schedules in one call. */
export const bulkRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, bells, counters } = context;
    app.addHook('onRequest', requireScope('write'));

    app.post(
      '/schedules/bulk',
      {
        bodyLimit: LARGEST_BULK,
        schema: {
          operationId: 'createSchedules',
          summary: 'Create up to 10,000 schedules, with a result for each',
          description:
            'Each item is judged by itself. With an `Idempotency-Key` all of them stand or fall together.',
          tags,
          body: BulkInput,
          response: answers({ 200: BulkAnswer }, ...BODY, 422),
        },
      },
      async (request, reply) =>
        answerOnce(context, { request, reply }, async (db) => {
          const { results, dueAts } = await createMany(context, {
            db,
            caller: request.caller,
            items: request.body.items,
          });
          const created = results.filter(({ result }) => result === 'created').length;
          const existing = results.filter(({ result }) => result === 'existing').length;
          counters.count('jobs_queued_total', created);
          const body = { created, existing, refused: results.length - created - existing, items: results };
          return { status: 200, headers: {}, body, dueAts };
        }),
    );

    app.post(
      '/schedules/actions',
      {
        schema: {
          operationId: 'actOnSchedules',
          summary: 'Do the same to all that match a filter',
          description:
            '`dryRun` only counts. One call changes up to 10,000; where more match, `nextCursor` is for the next call.',
          tags,
          body: ActionInput,
          response: answers({ 200: ActionAnswer }, ...BODY),
        },
      },
      async ({ caller, body }) => {
        requireFittingFields(body);
        const { action, filter, dryRun } = body;
        const beforeId = idInCursor(body.cursor);
        if (dryRun) {
          const matched = await countSchedules(pool, { projectId: caller.projectId, filter, beforeId });
          return { action, dryRun, matched, changed: 0, refused: 0, refusals: [], nextCursor: null };
        }
        const { dueAts, lastId, ...done } = await actOnMany(context, { caller, action: body, beforeId });
        bells.arm(dueAts).catch(() => {});
        if (action === 'cancel') counters.count('jobs_cancelled_total', done.changed);
        return { action, dryRun, ...done, nextCursor: lastId === null ? null : encodeCursor(lastId) };
      },
    );
  };
