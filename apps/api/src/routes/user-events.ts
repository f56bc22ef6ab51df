import { addUserEvent, readUser, removeUserEvent } from '@carillon/db';
import { BIRTHDAY, DeletedUser, User, UserEventInput, UserEventParams, UserKey } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answerOnce } from '../answer-once.js';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentUser } from '../present/user.js';
import { HttpProblem, invalid, notFound } from '../problem.js';
import { systemRequest } from '../system-request.js';

const tags = ['Users'];

/** Further yearly events of a user, by the same door as the birthday. */
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
          response: answers({ 201: User }, ...BODY, 404, 409, 422),
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
        return answerOnce(context, { request, reply }, async (db) => {
          const added = await addUserEvent(db, systemRequest(context, caller), { userKey: params.id, event });
          if (added.kind === 'invalid') throw invalid(added.problems);
          if (added.kind === 'conflict') throw new HttpProblem(409, `the user has a ${event.name} already`);
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
          summary: 'End a yearly event',
          tags,
          params: UserEventParams,
          response: answers({ 200: DeletedUser }, 400, 404, 409, 422),
        },
      },
      async (request, reply) => {
        const { caller, params } = request;
        const { id: key, name } = params;
        if (name === BIRTHDAY) throw new HttpProblem(409, 'the birthday goes with its user');
        const asked = { projectId: caller.projectId, key, actor: caller.keyName };
        return answerOnce(context, { request, reply }, async (db) => {
          const removed = await removeUserEvent(db, asked, name);
          if (!removed) throw notFound('event', name);
          counters.count('jobs_cancelled_total', removed.cancelled.length);
          return { status: 200, headers: {}, body: { id: key, ...removed }, dueAts: [] };
        });
      },
    );
  };
