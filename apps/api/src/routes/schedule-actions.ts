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
import { answerChange } from '../answer-change.js';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentSchedule } from '../present/schedule.js';
import { invalid } from '../problem.js';

const params = z.object({ id: ScheduleKey });
const tags = ['Actions'];
const NoBody = z.strictObject({}).nullish();
const REFUSALS = [...BODY, 404, 409, 412, 422];

/** What can be done with one schedule. Each answers with the schedule as it now is. */
export const scheduleActionRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('write'));

    app.post(
      '/schedules/:id/pause',
      {
        schema: {
          operationId: 'pauseSchedule',
          summary: 'Pause, with a note and until when',
          tags,
          params,
          body: z
            .strictObject({
              note: z.string().max(1_000).nullable().optional(),
              until: MomentInput.nullable().optional(),
            })
            .nullish(),
          response: answers({ 200: Schedule }, ...REFUSALS),
        },
      },
      async (request, reply) => {
        const pause = { note: request.body?.note ?? null, untilAt: request.body?.until ?? null };
        return answerChange(
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
          summary: 'Resume',
          description:
            'What fell into the pause is accounted for as skipped; the misfire policy `all` runs it.',
          tags,
          params,
          body: NoBody,
          response: answers({ 200: Schedule }, ...REFUSALS),
        },
      },
      async (request, reply) =>
        answerChange(context, { request, reply }, resumeSchedule, ({ schedule }) =>
          presentSchedule(schedule),
        ),
    );

    app.post(
      '/schedules/:id/trigger',
      {
        schema: {
          operationId: 'triggerSchedule',
          summary: 'Run now; the next occurrence stays where it is',
          tags,
          params,
          body: NoBody,
          response: answers({ 200: TriggeredSchedule }, ...REFUSALS),
        },
      },
      async (request, reply) =>
        answerChange(context, { request, reply }, triggerSchedule, ({ schedule, value }) => ({
          ...presentSchedule(schedule),
          runId: value,
        })),
    );

    app.post(
      '/schedules/:id/reschedule',
      {
        schema: {
          operationId: 'rescheduleNext',
          summary: 'Move the next occurrence, and only that one',
          tags,
          params,
          body: z.strictObject({ at: MomentInput }),
          response: answers({ 200: Schedule }, ...REFUSALS),
        },
      },
      async (request, reply) =>
        answerChange(
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
          summary: 'Leave the next occurrence out',
          tags,
          params,
          body: NoBody,
          response: answers({ 200: SkippedSchedule }, ...REFUSALS),
        },
      },
      async (request, reply) =>
        answerChange(context, { request, reply }, skipNext, ({ schedule, value }) => ({
          ...presentSchedule(schedule),
          skipped: new Date(value.occurrenceAt).toISOString(),
        })),
    );

    app.post(
      '/schedules/:id/backfill',
      {
        schema: {
          operationId: 'backfillSchedule',
          summary: 'Run the occurrences of a range that did not succeed',
          tags,
          params,
          body: z.strictObject({ from: MomentInput, to: MomentInput }),
          response: answers({ 200: BackfilledSchedule }, ...REFUSALS),
        },
      },
      async (request, reply) => {
        const { from: fromAt, to: toAt } = request.body;
        if (toAt < fromAt) throw invalid([{ field: 'to', message: 'is before from; expected it later' }]);
        return answerChange(
          context,
          { request, reply },
          (db, change) => backfillSchedule(db, change, { fromAt, toAt }),
          ({ schedule, value }) => ({ ...presentSchedule(schedule), backfilled: value }),
        );
      },
    );
  };
