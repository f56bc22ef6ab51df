import { createTask, deleteTask, editTask, listTasks, readTask, scanTasks } from '@carillon/db';
import { Cursor, Limit, listOf, Task, TaskInput, TaskKey, TaskPatch, TaskScan } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../http/cursor.js';
import { notFound } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentTask } from '../present/task.js';
import { defaultsFor } from '../schedules/draft-request.js';
import { validateRecipient, withStoredHeaders } from '../schedules/validate-recipient.js';

const params = z.object({ id: TaskKey });
const tags = ['Tasks'];

/** Tasks with a due date. A scan sends a reminder of each task that is due within a day. */
export const taskRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, clock, bells, counters } = context;

    app.post(
      '/tasks',
      {
        schema: {
          operationId: 'createTask',
          summary: 'Create a task',
          tags,
          body: TaskInput,
          response: responses({ 201: Task }, ...BODY_ERRORS, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body } = request;
        const { target } = validateRecipient(context, caller, { target: body.target ?? null });
        const asked = { projectId: caller.projectId, actor: caller.keyName };
        const draft = { title: body.title, dueAt: Date.parse(body.dueAt), target };
        return respondOnce(context, { request, reply }, async (db) => {
          const task = presentTask(await createTask(db, asked, draft));
          return { status: 201, headers: { location: `/v1/tasks/${task.id}` }, body: task, dueAts: [] };
        });
      },
    );

    app.post(
      '/tasks/scan',
      {
        schema: {
          operationId: 'scanTasks',
          summary: 'Run the hourly task scan now, for this project',
          tags,
          response: responses({ 200: TaskScan }, 400),
        },
        onRequest: requireScope('write'),
      },
      async ({ caller, log }) =>
        scanTasks(pool, {
          projectId: caller.projectId,
          startedAt: clock.now(),
          log,
          defaults: defaultsFor(caller, context),
          onSent: () => {
            counters.count('jobs_queued_total');
            bells.ringNow().catch(() => {}); // If Redis is away, the sweep claims the reminders later.
          },
        }),
    );

    app.get(
      '/tasks',
      {
        schema: {
          operationId: 'listTasks',
          summary: 'List tasks, newest first',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(Task) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, query: { limit, cursor } }) => {
        const page = { projectId: caller.projectId, limit: limit + 1, beforeId: idInCursor(cursor) };
        const { items, nextCursor } = pageOf(await listTasks(pool, page), limit, ({ id }) => id);
        return { items: items.map(presentTask), nextCursor };
      },
    );

    app.get(
      '/tasks/:id',
      {
        schema: {
          operationId: 'readTask',
          summary: 'Read a task',
          tags,
          params,
          response: responses({ 200: Task }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params }) => {
        const task = await readTask(pool, caller.projectId, params.id);
        if (!task) throw notFound('task', params.id);
        return presentTask(task);
      },
    );

    app.put(
      '/tasks/:id',
      {
        schema: {
          operationId: 'editTask',
          summary: 'Edit a task; omitted fields keep their value',
          tags,
          params,
          body: TaskPatch,
          response: responses({ 200: Task }, ...BODY_ERRORS, 404, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body, params } = request;
        const asked = { projectId: caller.projectId, key: params.id, actor: caller.keyName };
        const { dueAt, target, ...rest } = body;
        return respondOnce(context, { request, reply }, async (db) => {
          const before = target && (await readTask(db, caller.projectId, params.id));
          const given = target && withStoredHeaders(target, before?.target ?? null);
          const vetted = validateRecipient(context, caller, { target: given });
          const patch = {
            ...rest,
            ...(target === undefined ? {} : { target: vetted.target }),
            ...(dueAt === undefined ? {} : { dueAt: Date.parse(dueAt) }),
          };
          const task = await editTask(db, asked, patch);
          if (!task) throw notFound('task', params.id);
          return { status: 200, headers: {}, body: presentTask(task), dueAts: [] };
        });
      },
    );

    app.delete(
      '/tasks/:id',
      {
        schema: {
          operationId: 'deleteTask',
          summary: 'Delete a task',
          tags,
          params,
          response: responses({ 200: z.object({ id: TaskKey }) }, 400, 404, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, params } = request;
        const asked = { projectId: caller.projectId, key: params.id, actor: caller.keyName };
        return respondOnce(context, { request, reply }, async (db) => {
          if (!(await deleteTask(db, asked))) throw notFound('task', params.id);
          return { status: 200, headers: {}, body: { id: params.id }, dueAts: [] };
        });
      },
    );
  };
