import {
  createUser,
  type Database,
  deleteUser,
  editUser,
  type KeyOwner,
  listUsers,
  readUser,
} from '@carillon/db';
import { TICKS } from '@carillon/queue';
import { Cursor, DeletedUser, Limit, listOf, User, UserInput, UserKey, UserPatch } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answerOnce } from '../answer-once.js';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../cursor.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentUser } from '../present/user.js';
import { invalid, notFound } from '../problem.js';
import { systemRequest } from '../system-request.js';
import { vetAddressee } from '../vet-addressee.js';
import { userEventRoutes } from './user-events.js';

const params = z.object({ id: UserKey });
const tags = ['Users'];

/** People and their birthdays. */
export const userRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, pokes, clock, counters, birthdayLocalTime } = context;
    await app.register(userEventRoutes(context));

    app.post(
      '/users',
      {
        schema: {
          operationId: 'createUser',
          summary: 'Create a user, and with it the yearly greeting',
          tags,
          body: UserInput,
          response: answers({ 201: User }, ...BODY, 409, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body } = request;
        const timezone = vetAddressee(context, caller, body);
        refuseUnborn(body.dateOfBirth, clock.now());
        return answerOnce(context, { request, reply }, async (db) => {
          const created = await createUser(db, systemRequest(context, caller), {
            ...body,
            timezone,
            target: body.target ?? null,
            localTime: body.localTime ?? birthdayLocalTime,
            leapDay: body.leapDay ?? 'feb28',
          });
          if (created.kind === 'invalid') throw invalid(created.problems);
          counters.count('jobs_queued_total');
          const { key, dueAt } = created;
          const headers = { location: `/v1/users/${key}` };
          return { status: 201, headers, body: await show(db, caller, key), dueAts: [dueAt] };
        });
      },
    );

    app.get(
      '/users',
      {
        schema: {
          operationId: 'listUsers',
          summary: 'List users, newest first',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: answers({ 200: listOf(User) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, query: { limit, cursor } }) => {
        const page = { projectId: caller.projectId, limit: limit + 1, beforeId: idInCursor(cursor) };
        const { items, nextCursor } = pageOf(await listUsers(pool, page), limit, ({ id }) => id);
        return { items: items.map(presentUser), nextCursor };
      },
    );

    app.get(
      '/users/:id',
      {
        schema: {
          operationId: 'readUser',
          summary: 'Read a user, with the next greeting',
          tags,
          params,
          response: answers({ 200: User }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params }) => show(pool, caller, params.id),
    );

    app.put(
      '/users/:id',
      {
        schema: {
          operationId: 'editUser',
          summary: 'Edit a user; what is left out stays',
          description:
            'Another date of birth, zone, name or target moves the events that are to come, a moment after the answer. One that is being delivered goes out as it was.',
          tags,
          params,
          body: UserPatch,
          response: answers({ 200: User }, ...BODY, 404, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body, params } = request;
        const timezone = vetAddressee(context, caller, body);
        if (body.dateOfBirth !== undefined) refuseUnborn(body.dateOfBirth, clock.now());
        const asked = { projectId: caller.projectId, key: params.id, actor: caller.keyName };
        const edit = body.timezone === undefined ? body : { ...body, timezone };
        const answered = await answerOnce(context, { request, reply }, async (db) => {
          if (!(await editUser(db, asked, edit))) throw notFound('user', params.id);
          return { status: 200, headers: {}, body: await show(db, caller, params.id), dueAts: [] };
        });
        // After the commit; where Redis is away, the sweep picks the events up.
        pokes.poke(TICKS.events).catch(() => {});
        return answered;
      },
    );

    app.delete(
      '/users/:id',
      {
        schema: {
          operationId: 'deleteUser',
          summary: 'Delete a user and cancel what was to come',
          tags,
          params,
          response: answers({ 200: DeletedUser }, 400, 404, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, params } = request;
        const asked = { projectId: caller.projectId, key: params.id, actor: caller.keyName };
        return answerOnce(context, { request, reply }, async (db) => {
          const deleted = await deleteUser(db, asked);
          if (!deleted) throw notFound('user', params.id);
          counters.count('jobs_cancelled_total', deleted.cancelled.length);
          return { status: 200, headers: {}, body: { id: params.id, ...deleted }, dueAts: [] };
        });
      },
    );
  };

async function show(db: Database, { projectId }: KeyOwner, key: string) {
  const user = await readUser(db, projectId, key);
  if (!user) throw notFound('user', key);
  return presentUser(user);
}

/** The most that any zone is ahead of UTC. */
const FURTHEST_AHEAD_MS = 14 * 3_600_000;

function refuseUnborn(dateOfBirth: string, nowAt: number): void {
  const today = new Date(nowAt + FURTHEST_AHEAD_MS).toISOString().slice(0, 10);
  if (dateOfBirth > today) throw invalid([{ field: 'dateOfBirth', message: 'lies in the future' }]);
}
