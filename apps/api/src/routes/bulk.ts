import { listBulkActions, readBulkAction, requestHashOf } from '@carillon/db';
import {
  ActionAnswer,
  ActionInput,
  ActionProgress,
  BulkAnswer,
  BulkInput,
  Limit,
  listOf,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { encodeCursor, idInCursor } from '../http/cursor.js';
import { notFound, WRITES_UNLESS_DRY_RUN } from '../http/problem.js';
import { readIdempotencyKey, respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentBulkAction } from '../present/bulk-action.js';
import { requireFittingFields } from '../schedules/act-on-many.js';
import { BulkActions, previewAction } from '../schedules/bulk-actions.js';
import { createMany } from '../schedules/create-many.js';
import { traceCreate } from '../schedules/trace-create.js';

const MAX_BULK_BYTES = 16 * 1_024 * 1_024;
const tags = ['Bulk'];
const NOTHING_DONE = {
  id: null,
  changed: 0,
  refused: 0,
  refusals: [],
  preview: null,
  nextCursor: null,
};

/** Routes that create or change many schedules in one call. */
export const bulkRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, counters, heavy } = context;
    const actions = new BulkActions(context, (error, action) =>
      app.log.error({ err: error, projectId: action.projectId, actionId: action.id }, 'Bulk action failed'),
    );
    app.addHook('onClose', () => actions.stop());
    const write = requireScope('write');

    app.post(
      '/schedules/bulk',
      {
        bodyLimit: MAX_BULK_BYTES,
        onRequest: [write, heavy.hook],
        schema: {
          operationId: 'createSchedules',
          summary: 'Create up to 10,000 schedules, with a result for each',
          description:
            'Each item gets its own result, and may be up to 256 KiB. With an `Idempotency-Key` all items are written in one transaction.',
          tags,
          body: BulkInput,
          response: responses({ 200: BulkAnswer }, ...BODY_ERRORS, 422),
        },
      },
      async (request, reply) =>
        heavy.do(request, () => {
          const noteCreated = traceCreate(context, { request, reply });
          return respondOnce(context, { request, reply }, async (db) => {
            const { results, dueAts } = await createMany(context, {
              db,
              caller: request.caller,
              items: request.body.items,
            });
            const createdKeys = results.flatMap(({ result, id }) => (result === 'created' ? id : []));
            noteCreated(createdKeys.filter((key) => key !== null));
            const created = createdKeys.length;
            const existing = results.filter(({ result }) => result === 'existing').length;
            counters.count('jobs_queued_total', created);
            const body = { created, existing, refused: results.length - created - existing, items: results };
            return { status: 200, headers: {}, body, dueAts };
          });
        }),
    );

    app.post(
      '/schedules/actions',
      {
        config: WRITES_UNLESS_DRY_RUN,
        schema: {
          operationId: 'actOnSchedules',
          summary: 'Apply one action to all schedules that match a filter',
          description:
            'Changes every schedule that matches. If this takes longer than ten seconds, the response is 202 and the action continues; with `background` the response is 202 at once. `GET /v1/schedules/actions/{id}` returns the progress. The action continues even if the client disconnects: a repeat with the same `Idempotency-Key` returns the progress of the first request, and `GET /v1/actions` lists the latest actions. If the replica stops before the action is done, `nextCursor` of the progress says where to continue. `dryRun` changes nothing: it counts the matches, lists examples, and counts their fires in the next 24 hours.',
          tags,
          body: ActionInput,
          response: responses({ 200: ActionAnswer, 202: ActionAnswer }, ...BODY_ERRORS, 422),
        },
        onRequest: [write, heavy.hook],
      },
      async (request, reply) =>
        heavy.do(request, async () => {
          const { caller, body } = request;
          requireFittingFields(body);
          const { action, dryRun, background } = body;
          const beforeId = idInCursor(body.cursor);
          if (dryRun) {
            const preview = await previewAction(context, { caller, action: body, beforeId });
            return { ...NOTHING_DONE, action, dryRun, status: 'done' as const, ...preview };
          }
          const requestKey = readIdempotencyKey(request);
          const wanted = { caller, action: body, beforeId, requestKey, requestHash: requestHashOf(body) };
          const started = background ? await actions.start(wanted) : await actions.run(wanted);
          const { id, status, matched, changed, refused, refusals, lastId, isRepeated } = started;
          const nextCursor = lastId === null ? null : encodeCursor(lastId);
          if (isRepeated) reply.header('idempotency-replayed', 'true');
          const done = { id, status, matched, changed, refused, refusals, nextCursor, preview: null };
          return reply
            .status(status === 'running' ? 202 : 200)
            .header('location', `/v1/schedules/actions/${id}`)
            .send({ action, dryRun, ...done });
        }),
    );

    app.get(
      '/actions',
      {
        schema: {
          operationId: 'listActions',
          summary: 'List the latest bulk actions, newest first',
          description: 'Actions are kept for a week.',
          tags,
          querystring: z.strictObject({ limit: Limit }),
          response: responses({ 200: listOf(ActionProgress) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, query: { limit } }) => {
        const actions = await listBulkActions(pool, { projectId: caller.projectId, limit });
        return { items: actions.map(presentBulkAction), nextCursor: null };
      },
    );

    app.get(
      '/schedules/actions/:id(^[0-9a-f]{8}-[0-9a-f-]{27}$)',
      {
        schema: {
          operationId: 'readAction',
          summary: 'Read the progress of a bulk action',
          description: 'Progress is kept for a week.',
          tags,
          params: z.object({ id: z.uuid() }),
          response: responses({ 200: ActionProgress }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params: { id } }) => {
        const action = await readBulkAction(pool, { id, projectId: caller.projectId });
        if (!action) throw notFound('bulk action', id);
        return presentBulkAction(action);
      },
    );
  };
