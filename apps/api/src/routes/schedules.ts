import {
  cancelSchedule,
  createSchedules,
  editSchedule,
  listSchedules,
  OverLimit,
  readCalendars,
  readSchedule,
  type ScheduleView,
} from '@carillon/db';
import {
  CancelledSchedule,
  CreatedSchedule,
  Cursor,
  calendarsNamedBy,
  EditedSchedule,
  Limit,
  listOf,
  Schedule,
  ScheduleKey,
  SchedulePatch,
  ScheduleRequest,
  scheduleFilter,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answerChange, etagOf } from '../answer-change.js';
import { answerOnce } from '../answer-once.js';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../cursor.js';
import { draftRequest, viewOf } from '../draft-request.js';
import { mergePatch } from '../merge-patch.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentDefinition } from '../present/definition.js';
import { presentSchedule } from '../present/schedule.js';
import { HttpProblem, invalid, notFound } from '../problem.js';
import { withRule } from '../with-rule.js';

const params = z.object({ id: ScheduleKey });
const tags = ['Schedules'];

/** Create, read, list, edit and cancel schedules. */
export const scheduleRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, counters, creations } = context;

    app.post(
      '/schedules',
      {
        schema: {
          operationId: 'createSchedule',
          summary: 'Create a schedule',
          description:
            'The same id and body again answers 200 with the schedule that is there; another body, 409. `Idempotency-Key` is honoured.',
          tags,
          body: ScheduleRequest,
          response: answers({ 200: CreatedSchedule, 201: CreatedSchedule }, ...BODY, 409, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body } = request;
        const calendars = await readCalendars(pool, caller.projectId, calendarsNamedBy([body]));
        const drafted = draftRequest(context, caller, await withRule(pool, caller, body), calendars);
        if (!drafted.ok) throw invalid(drafted.problems);
        const { draft, warnings } = drafted.value;
        return answerOnce(context, { request, reply }, async (db) => {
          const owner = { projectId: caller.projectId, actor: caller.keyName, limits: caller.limits };
          // Within a transaction, as an Idempotency-Key needs one, it goes by itself.
          const created =
            db === pool
              ? await creations.create(owner, draft)
              : (await createSchedules(db, { ...owner, drafts: [draft] }))[0];
          const answer = (status: number, schedule: ScheduleView, dueAts: number[]) => ({
            status,
            headers: { etag: etagOf(schedule), location: `/v1/schedules/${schedule.key}` },
            body: { ...presentSchedule(schedule), warnings },
            dueAts,
          });
          if (created?.kind === 'created') {
            counters.count('jobs_queued_total');
            return answer(201, viewOf(drafted.value, created), [draft.first.dueAt]);
          }
          if (created?.kind === 'over_limit') throw new OverLimit(caller.limits);
          const schedule = created?.kind === 'same' && (await readSchedule(db, caller.projectId, draft.key));
          if (schedule) return answer(200, schedule, []);
          const detail = `a schedule with the id ${draft.key} exists already and is not the same; change it with PATCH`;
          throw new HttpProblem(409, detail);
        });
      },
    );

    app.get(
      '/schedules',
      {
        schema: {
          operationId: 'listSchedules',
          summary: 'List schedules, newest first',
          tags,
          querystring: z.strictObject({ ...scheduleFilter, limit: Limit, cursor: Cursor.optional() }),
          response: answers({ 200: listOf(Schedule) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, query }) => {
        const { limit, cursor, ...filter } = query;
        const beforeId = idInCursor(cursor);
        const found = await listSchedules(pool, {
          projectId: caller.projectId,
          filter,
          limit: limit + 1,
          beforeId,
        });
        const { items, nextCursor } = pageOf(found, limit, ({ id }) => id);
        return { items: items.map(presentSchedule), nextCursor };
      },
    );

    app.get(
      '/schedules/:id',
      {
        schema: {
          operationId: 'readSchedule',
          summary: 'Read a schedule',
          tags,
          params,
          response: answers({ 200: Schedule }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params }, reply) => {
        const schedule = await readSchedule(pool, caller.projectId, params.id);
        if (!schedule) throw notFound('schedule', params.id);
        return reply.header('etag', etagOf(schedule)).send(presentSchedule(schedule));
      },
    );

    app.patch(
      '/schedules/:id',
      {
        schema: {
          operationId: 'editSchedule',
          summary: 'Edit a schedule',
          description:
            'What is left out stays. `If-Match` with the ETag makes sure that nobody edited it meanwhile; without, the edit applies.',
          tags,
          params,
          body: SchedulePatch,
          response: answers({ 200: EditedSchedule }, ...BODY, 404, 409, 412, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body } = request;
        let warnings: string[] = [];
        return answerChange(
          context,
          { request, reply },
          (db, change) =>
            editSchedule(db, change, async (locked, tx) => {
              const view = await readSchedule(tx, caller.projectId, locked.key);
              if (!view) throw notFound('schedule', locked.key);
              const named = calendarsNamedBy([presentDefinition(view), body]);
              const calendars = await readCalendars(tx, caller.projectId, named);
              const merged = mergePatch(body, { view, locked, caller, context, calendars });
              warnings = merged.warnings;
              return merged.edit;
            }),
          ({ schedule, value: { inFlight } }) => {
            if (inFlight.length > 0) {
              const goOn = 'runs in flight go on under the definition that they began with';
              request.log.warn({ schedule: schedule.key, inFlight }, `Schedule edited: ${goOn}`);
              warnings = [...warnings, `${goOn}: ${inFlight.join(', ')}`];
            }
            return { ...presentSchedule(schedule), inFlight, warnings };
          },
        );
      },
    );

    app.delete(
      '/schedules/:id',
      {
        schema: {
          operationId: 'cancelSchedule',
          summary: 'Cancel a schedule for good, naming the runs in flight',
          tags,
          params,
          response: answers({ 200: CancelledSchedule }, 400, 404, 409, 412, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) =>
        answerChange(context, { request, reply }, cancelSchedule, ({ schedule, value }) => {
          if (value.isNew) counters.count('jobs_cancelled_total');
          return { ...presentSchedule(schedule), inFlight: value.inFlight };
        }),
    );
  };
