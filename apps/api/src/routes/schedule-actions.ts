import {
  backfillSchedule,
  pauseSchedule,
  rescheduleNext,
  resumeSchedule,
  skipNext,
  triggerSchedule,
} from '@carillon/db';
import { ScheduleKey } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { applyChange } from '../apply-change.js';
import type { ApiContext } from '../context.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentSchedule } from '../present/schedule.js';
import { invalid } from '../problem.js';

const Params = z.object({ id: ScheduleKey });
const Moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** What can be done with one schedule. Each answers with the schedule as it now is. */
export const scheduleActionRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool } = context;
    app.addHook('preHandler', requireScope('write'));

    app.post(
      '/schedules/:id/pause',
      {
        schema: {
          params: Params,
          body: z
            .strictObject({
              note: z.string().max(1_000).nullable().default(null),
              until: Moment.nullable().default(null),
            })
            .nullish(),
        },
      },
      async (request) => {
        const pause = { note: request.body?.note ?? null, untilAt: request.body?.until ?? null };
        const { schedule } = await applyChange(context, request, (change) =>
          pauseSchedule(pool, change, pause),
        );
        return presentSchedule(schedule);
      },
    );

    app.post('/schedules/:id/resume', { schema: { params: Params } }, async (request) => {
      const { schedule } = await applyChange(context, request, (change) => resumeSchedule(pool, change));
      return presentSchedule(schedule);
    });

    app.post('/schedules/:id/trigger', { schema: { params: Params } }, async (request) => {
      const { schedule, value } = await applyChange(context, request, (change) =>
        triggerSchedule(pool, change),
      );
      return { ...presentSchedule(schedule), runId: value };
    });

    app.post(
      '/schedules/:id/reschedule',
      { schema: { params: Params, body: z.strictObject({ at: Moment }) } },
      async (request) => {
        const { schedule } = await applyChange(context, request, (change) =>
          rescheduleNext(pool, change, request.body.at),
        );
        return presentSchedule(schedule);
      },
    );

    app.post('/schedules/:id/skip-next', { schema: { params: Params } }, async (request) => {
      const { schedule, value } = await applyChange(context, request, (change) => skipNext(pool, change));
      return { ...presentSchedule(schedule), skipped: new Date(value.occurrenceAt).toISOString() };
    });

    app.post(
      '/schedules/:id/backfill',
      { schema: { params: Params, body: z.strictObject({ from: Moment, to: Moment }) } },
      async (request) => {
        const { from, to } = request.body;
        if (to < from) throw invalid([{ field: 'to', message: 'is before from; expected it later' }]);
        const { schedule, value } = await applyChange(context, request, (change) =>
          backfillSchedule(pool, change, { fromAt: from, toAt: to }),
        );
        return { ...presentSchedule(schedule), backfilled: value };
      },
    );
  };
