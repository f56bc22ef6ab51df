import {
  backfillSchedule,
  pauseSchedule,
  rescheduleNext,
  resumeSchedule,
  skipNext,
  triggerSchedule,
} from '@carillon/db';
import {
  BackfilledSchedule,
  MomentInput,
  Schedule,
  ScheduleKey,
  SkippedSchedule,
  TriggeredSchedule,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { invalid } from '../http/problem.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { iso } from '../present/iso.js';
import { presentSchedule } from '../present/schedule.js';
import { respondWithChange } from '../schedules/respond-with-change.js';

const params = z.object({ id: ScheduleKey });
const tags = ['Actions'];
const NoBody = z.strictObject({}).nullish();
const ERROR_STATUSES = [...BODY_ERRORS, 404, 409, 412, 422];

/**
 * Actions on one schedule, such as pausing it or starting a run at once. Each responds with the new state of the
 * schedule.
 */
export const scheduleActionRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('write'));

    app.post(
      '/schedules/:id/pause',
      {
        schema: {
          operationId: 'pauseSchedule',
          summary: 'Pause a schedule, with an optional note and end',
          tags,
          params,
          body: z
            .strictObject({
              note: z.string().max(1_000).nullable().optional(),
              until: MomentInput.nullable().optional(),
            })
            .nullish(),
          response: responses({ 200: Schedule }, ...ERROR_STATUSES),
        },
      },
      async (request, reply) => {
        const pause = { note: request.body?.note ?? null, untilAt: request.body?.until ?? null };
        return respondWithChange(
          context,
          { request, reply },
          (db, change) => pauseSchedule(db, change, pause),
          ({ schedule }) => presentSchedule(schedule),
        );
      },
    );

    app.post(
      '/schedules/:id/resume',
      {
        schema: {
          operationId: 'resumeSchedule',
          summary: 'Resume a schedule',
          description:
            'Occurrences during the pause are recorded as skipped, unless the misfire policy is `all`, which runs them.',
          tags,
          params,
          body: NoBody,
          response: responses({ 200: Schedule }, ...ERROR_STATUSES),
        },
      },
      async (request, reply) =>
        respondWithChange(context, { request, reply }, resumeSchedule, ({ schedule }) =>
          presentSchedule(schedule),
        ),
    );

    app.post(
      '/schedules/:id/trigger',
      {
        schema: {
          operationId: 'triggerSchedule',
          summary: 'Run a schedule now, in addition to its next occurrence',
          tags,
          params,
          body: NoBody,
          response: responses({ 200: TriggeredSchedule }, ...ERROR_STATUSES),
        },
      },
      async (request, reply) =>
        respondWithChange(context, { request, reply }, triggerSchedule, ({ schedule, value }) => ({
          ...presentSchedule(schedule),
          runId: value,
        })),
    );

    app.post(
      '/schedules/:id/reschedule',
      {
        schema: {
          operationId: 'rescheduleNext',
          summary: 'Move the next occurrence to another time; later occurrences stay',
          tags,
          params,
          body: z.strictObject({ at: MomentInput }),
          response: responses({ 200: Schedule }, ...ERROR_STATUSES),
        },
      },
      async (request, reply) =>
        respondWithChange(
          context,
          { request, reply },
          (db, change) => rescheduleNext(db, change, request.body.at),
          ({ schedule }) => presentSchedule(schedule),
        ),
    );

    app.post(
      '/schedules/:id/skip-next',
      {
        schema: {
          operationId: 'skipNext',
          summary: 'Skip the next occurrence',
          tags,
          params,
          body: NoBody,
          response: responses({ 200: SkippedSchedule }, ...ERROR_STATUSES),
        },
      },
      async (request, reply) =>
        respondWithChange(context, { request, reply }, skipNext, ({ schedule, value }) => ({
          ...presentSchedule(schedule),
          skipped: iso(value.occurrenceAt),
        })),
    );

    app.post(
      '/schedules/:id/backfill',
      {
        onRequest: context.heavy.hook,
        schema: {
          operationId: 'backfillSchedule',
          summary: 'Run the past occurrences of a time range that have no successful run',
          tags,
          params,
          body: z.strictObject({ from: MomentInput, to: MomentInput }),
          response: responses({ 200: BackfilledSchedule }, ...ERROR_STATUSES),
        },
      },
      async (request, reply) => {
        const { from: fromAt, to: toAt } = request.body;
        if (toAt < fromAt)
          throw invalid([{ field: 'to', message: 'is before `from`; expected a later instant' }]);
        return context.heavy.do(request, () =>
          respondWithChange(
            context,
            { request, reply },
            (db, change) => backfillSchedule(db, change, { fromAt, toAt }),
            ({ schedule, value }) => ({ ...presentSchedule(schedule), backfilled: value }),
          ),
        );
      },
    );
  };
