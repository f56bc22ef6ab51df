import { addUserEvent, readUser, removeUserEvent } from '@carillon/db';
import { BIRTHDAY, DeletedUser, User, UserEventInput, UserEventParams, UserKey } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { HttpProblem, invalid, notFound } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentUser } from '../present/user.js';
import { systemRequest } from '../schedules/system-request.js';

const tags = ['Users'];

/** Further yearly events of a user, such as anniversaries. Each is a schedule, as a birthday is. */
export const userEventRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { counters, birthdayLocalTime } = context;
    app.addHook('onRequest', requireScope('write'));

    app.post(
      '/users/:id/events',
      {
        schema: {
          operationId: 'addUserEvent',
          summary: 'Add a yearly event, such as an anniversary',
          tags,
          params: z.object({ id: UserKey }),
          body: UserEventInput,
          response: responses({ 201: User }, ...BODY_ERRORS, 404, 409, 422),
        },
      },
      async (request, reply) => {
        const { caller, body, params } = request;
        const event = {
          ...body,
          message: body.message ?? null,
          localTime: body.localTime ?? birthdayLocalTime,
          leapDay: body.leapDay ?? 'feb28',
        };
        return respondOnce(context, { request, reply }, async (db) => {
          const added = await addUserEvent(db, systemRequest(context, caller), { userKey: params.id, event });
          if (added.kind === 'invalid') throw invalid(added.problems);
          if (added.kind === 'conflict')
            throw new HttpProblem('already_exists', `the user has an event named ${event.name} already`);
          const user = added.kind === 'added' && (await readUser(db, caller.projectId, params.id));
          if (!user) throw notFound('user', params.id);
          counters.count('jobs_queued_total');
          return { status: 201, headers: {}, body: presentUser(user), dueAts: [added.dueAt] };
        });
      },
    );

    app.delete(
      '/users/:id/events/:name',
      {
        schema: {
          operationId: 'removeUserEvent',
          summary: 'Delete a yearly event',
          tags,
          params: UserEventParams,
          response: responses({ 200: DeletedUser }, 400, 404, 409, 422),
        },
      },
      async (request, reply) => {
        const { caller, params } = request;
        const { id: key, name } = params;
        if (name === BIRTHDAY)
          throw new HttpProblem('invalid_state', 'the birthday is removed together with its user');
        const asked = { projectId: caller.projectId, key, actor: caller.keyName };
        return respondOnce(context, { request, reply }, async (db) => {
          const removed = await removeUserEvent(db, asked, name);
          if (!removed) throw notFound('event', name);
          counters.count('jobs_cancelled_total', removed.cancelled.length);
          return { status: 200, headers: {}, body: { id: key, ...removed }, dueAts: [] };
        });
      },
    );
  };
