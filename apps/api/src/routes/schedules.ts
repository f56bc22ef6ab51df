import {
  cancelSchedule,
  createSchedules,
  listNextSchedules,
  listSchedulePage,
  type NextCursor,
  OverLimit,
  readCalendars,
  readRecentRuns,
  readSchedule,
  type ScheduleView,
} from '@carillon/db';
import {
  CancelledSchedule,
  CreatedSchedule,
  Cursor,
  calendarsNamedBy,
  describeRule,
  EditedSchedule,
  Limit,
  ListedSchedule,
  listOf,
  Schedule,
  ScheduleKey,
  SchedulePatch,
  ScheduleRequest,
  scheduleFilter,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, idInCursor, invalidCursor, pageOf } from '../http/cursor.js';
import { HttpProblem, invalid } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentRecentRun } from '../present/run.js';
import { presentSchedule } from '../present/schedule.js';
import { cancelledAdvice } from '../schedules/cancelled-advice.js';
import { draftRequest, toScheduleView } from '../schedules/draft-request.js';
import { editByPatch } from '../schedules/edit-by-patch.js';
import { missingSchedule } from '../schedules/missing-schedule.js';
import { resolveTemplate } from '../schedules/resolve-template.js';
import { etagOf, respondWithChange } from '../schedules/respond-with-change.js';
import { respondWithPurge } from '../schedules/respond-with-purge.js';
import { traceCreate } from '../schedules/trace-create.js';

const params = z.object({ id: ScheduleKey });
const tags = ['Schedules'];

/** Create, read, list, edit and cancel schedules. */
export const scheduleRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, counters, creates } = context;

    app.post(
      '/schedules',
      {
        schema: {
          operationId: 'createSchedule',
          summary: 'Create a schedule',
          description:
            'A repeat with the same id and body answers 200 with the existing schedule; with another body, 409. An id that belongs to a cancelled schedule answers 409 `schedule_cancelled`. Without a `target` the default target of the project is used; if the project has none, the create is refused.',
          tags,
          body: ScheduleRequest,
          response: responses({ 200: CreatedSchedule, 201: CreatedSchedule }, ...BODY_ERRORS, 409, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body } = request;
        const calendars = await readCalendars(pool, caller.projectId, calendarsNamedBy([body]));
        const drafted = draftRequest(context, caller, await resolveTemplate(pool, caller, body), calendars);
        if (!drafted.ok) throw invalid(drafted.problems);
        const { draft, warnings } = drafted.value;
        const noteCreated = traceCreate(context, { request, reply });
        return respondOnce(context, { request, reply }, async (db) => {
          const owner = { projectId: caller.projectId, actor: caller.keyName, limits: caller.limits };
          // A request with an Idempotency-Key needs a transaction of its own, so it cannot join a group commit.
          const created =
            db === pool
              ? await creates.create(owner, draft)
              : (await createSchedules(db, { ...owner, drafts: [draft] }))[0];
          const answer = (status: number, schedule: ScheduleView, dueAts: number[]) => ({
            status,
            headers: { etag: etagOf(schedule), location: `/v1/schedules/${schedule.key}` },
            body: { ...presentSchedule(schedule), warnings },
            dueAts,
          });
          if (created?.kind === 'created') {
            counters.count('jobs_queued_total');
            noteCreated([draft.key]);
            return answer(201, toScheduleView(drafted.value, created), [draft.first.dueAt]);
          }
          if (created?.kind === 'over_limit') throw new OverLimit(caller.limits);
          if (created?.kind === 'cancelled')
            throw new HttpProblem('schedule_cancelled', cancelledAdvice(draft.key));
          const schedule = created?.kind === 'same' && (await readSchedule(db, caller.projectId, draft.key));
          if (schedule) return answer(200, schedule, []);
          const detail = `a schedule with the id ${draft.key} and another definition exists already; edit it with PATCH, or replace it with PUT`;
          throw new HttpProblem('already_exists', detail);
        });
      },
    );

    app.get(
      '/schedules',
      {
        schema: {
          operationId: 'listSchedules',
          summary: 'List schedules, newest first or by their next run',
          description:
            'A page is also limited to 4 MiB, so it may hold fewer items than `limit`. With `order=next`, only schedules that have a next run are listed, and paused ones are left out.',
          tags,
          querystring: z.strictObject({
            ...scheduleFilter,
            include: z.literal('recent').optional().meta({
              description: 'Adds the rule in words and the latest 30 runs of each schedule.',
            }),
            order: z.enum(['newest', 'next']).default('newest'),
            limit: Limit,
            cursor: Cursor.optional(),
          }),
          response: responses({ 200: listOf(ListedSchedule) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, query }) => {
        const { limit, cursor, include, order, ...filter } = query;
        const asked = { projectId: caller.projectId, filter, limit: limit + 1 };
        const { schedules, isCut } =
          order === 'next'
            ? await listNextSchedules(pool, { ...asked, after: nextInCursor(cursor) })
            : await listSchedulePage(pool, { ...asked, beforeId: idInCursor(cursor) });
        const positionOf = order === 'next' ? nextPosition : ({ id }: ScheduleView) => id;
        const { items, nextCursor } = pageOf(schedules, limit, positionOf, isCut);
        if (include === undefined) return { items: items.map(presentSchedule), nextCursor };
        const scheduleIds = items.map(({ id }) => id);
        const recent = await readRecentRuns(pool, { projectId: caller.projectId, scheduleIds });
        const withRecent = (schedule: ScheduleView) => ({
          ...presentSchedule(schedule),
          text: describeRule(schedule.timing),
          recent: recent.get(schedule.id)?.map(presentRecentRun) ?? [],
        });
        return { items: items.map(withRecent), nextCursor };
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
          response: responses({ 200: Schedule }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params }, reply) => {
        const { projectId } = caller;
        const schedule = await readSchedule(pool, projectId, params.id);
        if (!schedule) throw await missingSchedule(pool, { projectId, key: params.id });
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
            'Omitted fields keep their value. With `If-Match`, an edit of any other version answers 412. Without it, the edit applies to the latest version, and answers 409 only if other requests keep changing the schedule.',
          tags,
          params,
          body: SchedulePatch,
          response: responses({ 200: EditedSchedule }, ...BODY_ERRORS, 404, 409, 412, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body: patch, params } = request;
        return respondWithChange(
          context,
          { request, reply },
          (db, { ifMatch = null }) => editByPatch(context, db, { caller, key: params.id, patch, ifMatch }),
          ({ schedule, value: { inFlight, warnings } }) => {
            const shown = { ...presentSchedule(schedule), inFlight, warnings };
            if (inFlight.length === 0) return shown;
            const notice = 'runs in flight finish with the definition that they started with';
            request.log.warn(
              { projectId: caller.projectId, scheduleId: schedule.key, inFlight },
              `Schedule edited: ${notice}`,
            );
            return { ...shown, warnings: [...warnings, `${notice}: ${inFlight.join(', ')}`] };
          },
        );
      },
    );

    app.delete(
      '/schedules/:id',
      {
        schema: {
          operationId: 'cancelSchedule',
          summary: 'Cancel a schedule permanently, and list its runs in flight',
          description:
            'With `purge=true` the schedule is removed with its runs and its versions, and its id is free again. A purge answers 409 while runs are in flight.',
          tags,
          params,
          querystring: z.strictObject({
            purge: z
              .stringbool()
              .default(false)
              .meta({ description: 'Removes the schedule with its history.' }),
          }),
          response: responses({ 200: CancelledSchedule }, 400, 404, 409, 412, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        if (request.query.purge) return respondWithPurge(context, { request, reply });
        return respondWithChange(context, { request, reply }, cancelSchedule, ({ schedule, value }) => {
          if (value.isNew) counters.count('jobs_cancelled_total');
          return { ...presentSchedule(schedule), inFlight: value.inFlight, purged: false };
        });
      },
    );
  };

const nextPosition = ({ nextRunAt, id }: ScheduleView) => `${nextRunAt}/${id}`;

/** Reads the cursor of a list that is ordered by the next run. */
function nextInCursor(cursor: string | undefined): NextCursor | null {
  if (cursor === undefined) return null;
  const [, dueAt, id] = /^(-?\d{1,15})\/(\d{1,15})$/.exec(decodeCursor(cursor)) ?? [];
  if (dueAt === undefined || id === undefined) throw invalidCursor();
  return { dueAt: Number(dueAt), id: Number(id) };
}
