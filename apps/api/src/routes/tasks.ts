import { createTask, deleteTask, editTask, listTasks, readTask, scanTasks } from '@carillon/db';
import { Cursor, Limit, listOf, Task, TaskInput, TaskKey, TaskPatch, TaskScan } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answerOnce } from '../answer-once.js';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../cursor.js';
import { defaultsFor } from '../draft-request.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentTask } from '../present/task.js';
import { notFound } from '../problem.js';
import { vetAddressee } from '../vet-addressee.js';

const params = z.object({ id: TaskKey });
const tags = ['Tasks'];

/** Tasks, and the reminders of those that are due within a day. */
export const taskRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, clock, bells, counters, defaults } = context;

    app.post(
      '/tasks',
      {
        schema: {
          operationId: 'createTask',
          summary: 'Create a task',
          tags,
          body: TaskInput,
          response: answers({ 201: Task }, ...BODY, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body } = request;
        vetAddressee(context, caller, { target: body.target });
        const asked = { projectId: caller.projectId, actor: caller.keyName };
        const draft = { title: body.title, dueAt: Date.parse(body.dueAt), target: body.target ?? null };
        return answerOnce(context, { request, reply }, async (db) => {
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
          summary: 'Run the hourly scan now, for this project',
          tags,
          response: answers({ 200: TaskScan }),
        },
        onRequest: requireScope('write'),
      },
      async ({ caller, log }) =>
        scanTasks(pool, {
          projectId: caller.projectId,
          startedAt: clock.now(),
          log,
          defaults: defaultsFor(caller, defaults),
          onSent: () => {
            counters.count('jobs_queued_total');
            bells.ringNow().catch(() => {}); // The sweep arms what is missing.
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
          response: answers({ 200: listOf(Task) }, 400),
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
          response: answers({ 200: Task }, 400, 404),
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
          summary: 'Edit a task; what is left out stays',
          tags,
          params,
          body: TaskPatch,
          response: answers({ 200: Task }, ...BODY, 404, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body, params } = request;
        vetAddressee(context, caller, { target: body.target });
        const asked = { projectId: caller.projectId, key: params.id, actor: caller.keyName };
        const { dueAt, ...rest } = body;
        const patch = dueAt === undefined ? rest : { ...rest, dueAt: Date.parse(dueAt) };
        return answerOnce(context, { request, reply }, async (db) => {
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
          response: answers({ 200: z.object({ id: TaskKey }) }, 400, 404, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, params } = request;
        const asked = { projectId: caller.projectId, key: params.id, actor: caller.keyName };
        return answerOnce(context, { request, reply }, async (db) => {
          if (!(await deleteTask(db, asked))) throw notFound('task', params.id);
          return { status: 200, headers: {}, body: { id: params.id }, dueAts: [] };
        });
      },
    );
  };
