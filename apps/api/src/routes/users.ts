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
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../http/cursor.js';
import { invalid, notFound } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentUser } from '../present/user.js';
import { systemRequest } from '../schedules/system-request.js';
import { validateRecipient, withStoredHeaders } from '../schedules/validate-recipient.js';
import { userEventRoutes } from './user-events.js';

const params = z.object({ id: UserKey });
const tags = ['Users'];

/** Users and their birthdays. */
export const userRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, wakeUps, clock, counters, birthdayLocalTime } = context;
    await app.register(userEventRoutes(context));

    app.post(
      '/users',
      {
        schema: {
          operationId: 'createUser',
          summary: 'Create a user with a yearly birthday message',
          tags,
          body: UserInput,
          response: responses({ 201: User }, ...BODY_ERRORS, 409, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body } = request;
        const { timezone, target } = validateRecipient(context, caller, {
          ...body,
          target: body.target ?? null,
        });
        refuseFutureBirth(body.dateOfBirth, clock.now());
        return respondOnce(context, { request, reply }, async (db) => {
          const created = await createUser(db, systemRequest(context, caller), {
            ...body,
            timezone,
            target,
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
          response: responses({ 200: listOf(User) }, 400),
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
          summary: 'Read a user with the next birthday message',
          tags,
          params,
          response: responses({ 200: User }, 400, 404),
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
          summary: 'Edit a user; omitted fields keep their value',
          description:
            'A new date of birth, time zone, name or target applies to future events shortly after the response. An event that is being delivered is not changed.',
          tags,
          params,
          body: UserPatch,
          response: responses({ 200: User }, ...BODY_ERRORS, 404, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body, params } = request;
        if (body.dateOfBirth !== undefined) refuseFutureBirth(body.dateOfBirth, clock.now());
        const asked = { projectId: caller.projectId, key: params.id, actor: caller.keyName };
        const answered = await respondOnce(context, { request, reply }, async (db) => {
          const before = body.target && (await readUser(db, caller.projectId, params.id));
          const target = body.target && withStoredHeaders(body.target, before?.target ?? null);
          const vetted = validateRecipient(context, caller, { timezone: body.timezone, target });
          const edit = {
            ...body,
            ...(body.timezone === undefined ? {} : { timezone: vetted.timezone }),
            ...(body.target === undefined ? {} : { target: vetted.target }),
          };
          if (!(await editUser(db, asked, edit))) throw notFound('user', params.id);
          return { status: 200, headers: {}, body: await show(db, caller, params.id), dueAts: [] };
        });
        // The edit is committed, so wake a worker to move the user's events. If the wake-up is lost, the next sweep
        // does that.
        wakeUps.wake(TICKS.events).catch(() => {});
        return answered;
      },
    );

    app.delete(
      '/users/:id',
      {
        schema: {
          operationId: 'deleteUser',
          summary: 'Delete a user and cancel the future events',
          tags,
          params,
          response: responses({ 200: DeletedUser }, 400, 404, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, params } = request;
        const asked = { projectId: caller.projectId, key: params.id, actor: caller.keyName };
        return respondOnce(context, { request, reply }, async (db) => {
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

/** The largest UTC offset of any time zone. */
const MAX_UTC_OFFSET_MS = 14 * 3_600_000;

function refuseFutureBirth(dateOfBirth: string, nowAt: number): void {
  const today = new Date(nowAt + MAX_UTC_OFFSET_MS).toISOString().slice(0, 10);
  if (dateOfBirth > today) throw invalid([{ field: 'dateOfBirth', message: 'is in the future' }]);
}
