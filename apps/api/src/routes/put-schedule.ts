import { ChosenKey, EditedSchedule, ScheduleRequest } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { invalid } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentSchedule } from '../present/schedule.js';
import { putSchedule, readPrecondition } from '../schedules/put-schedule.js';
import { etagOf } from '../schedules/respond-with-change.js';
import { traceCreate } from '../schedules/trace-create.js';

/** Creates a schedule under a chosen id, or replaces the schedule that has the id. */
export const putScheduleRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.put(
      '/schedules/:id',
      {
        schema: {
          operationId: 'putSchedule',
          summary: 'Create a schedule, or replace its definition',
          description:
            'Answers 201 if the schedule is new, else 200. Fields that are left out get their defaults, except `secret`, which stays. A paused schedule stays paused; a cancelled one starts anew. The same definition again changes nothing, and the version stays. With `If-Match`, only that version is replaced. With `If-None-Match: *`, an existing schedule is never replaced. If the condition does not hold, the answer is 412.',
          tags: ['Schedules'],
          params: z.object({ id: ChosenKey }),
          body: ScheduleRequest,
          response: responses({ 200: EditedSchedule, 201: EditedSchedule }, ...BODY_ERRORS, 409, 412, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body, params } = request;
        if (body.id !== undefined && body.id !== params.id)
          throw invalid([{ field: 'id', message: `expected the id of the path, ${params.id}, or none` }]);
        const precondition = readPrecondition(request);
        const noteCreated = traceCreate(context, { request, reply });
        return respondOnce(context, { request, reply }, async (db) => {
          const put = await putSchedule(context, db, {
            caller,
            request: { ...body, id: params.id },
            precondition,
          });
          const { schedule, isNew, dueAts, inFlight, warnings } = put;
          if (isNew) {
            context.counters.count('jobs_queued_total');
            noteCreated([schedule.key]);
          }
          return {
            status: isNew ? 201 : 200,
            headers: { etag: etagOf(schedule), location: `/v1/schedules/${schedule.key}` },
            body: { ...presentSchedule(schedule), inFlight, warnings },
            dueAts,
          };
        });
      },
    );
  };
