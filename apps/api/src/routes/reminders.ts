import { randomUUID } from 'node:crypto';
import {
  type ChangeResult,
  cancelRun,
  cancelSchedule,
  createSchedules,
  type Database,
  type KeyOwner,
  listReminders,
  OverLimit,
  type ReminderView,
  readReminder,
} from '@carillon/db';
import {
  Cursor,
  Limit,
  listOf,
  REMINDER_PREFIX,
  REMINDER_TAG,
  Reminder,
  ReminderInput,
  ReminderKey,
  SYSTEM_TARGET,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../http/cursor.js';
import { HttpProblem, invalid, notFound } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentReminder } from '../present/reminder.js';
import { draftRequest } from '../schedules/draft-request.js';

const params = z.object({ id: ReminderKey });
const tags = ['Reminders'];
/** A reminder is a one-shot, which uses no calendars. */
const NO_CALENDARS = new Map();

/** Reminders: messages for a person at a given time. Each is a one-shot schedule whose run holds the result. */
export const reminderRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, counters } = context;

    app.post(
      '/reminders',
      {
        schema: {
          operationId: 'createReminder',
          summary: 'Create a reminder',
          tags,
          body: ReminderInput,
          response: responses({ 201: Reminder }, ...BODY_ERRORS, 409, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body } = request;
        const { message, recipient, at, ...rest } = body;
        const id = REMINDER_PREFIX + randomUUID().replaceAll('-', '');
        const input = {
          ...rest,
          target: rest.target ?? caller.defaultTarget ?? SYSTEM_TARGET,
          id,
          name: `Reminder for ${recipient}`.slice(0, 256),
          tags: [REMINDER_TAG],
          rule: { at },
          payload: { reminderId: id, message, recipient },
        };
        const drafted = draftRequest(context, caller, input, NO_CALENDARS);
        if (!drafted.ok) {
          throw invalid(
            drafted.problems.map(({ field, message }) => ({ field: field.replace(/^rule\./, ''), message })),
          );
        }
        const { draft } = drafted.value;
        return respondOnce(context, { request, reply }, async (db) => {
          const { projectId, keyName: actor, limits } = caller;
          const [created] = await createSchedules(db, { projectId, drafts: [draft], actor, limits });
          if (created?.kind === 'over_limit') throw new OverLimit(limits);
          counters.count('jobs_queued_total');
          const headers = { location: `/v1/reminders/${id}` };
          return { status: 201, headers, body: await show(db, caller, id), dueAts: [draft.first.dueAt] };
        });
      },
    );

    app.get(
      '/reminders',
      {
        schema: {
          operationId: 'listReminders',
          summary: 'List reminders, newest first',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(Reminder) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, query: { limit, cursor } }) => {
        const page = { projectId: caller.projectId, limit: limit + 1, beforeId: idInCursor(cursor) };
        const { items, nextCursor } = pageOf(await listReminders(pool, page), limit, ({ id }) => id);
        return { items: items.map(presentReminder), nextCursor };
      },
    );

    app.get(
      '/reminders/:id',
      {
        schema: {
          operationId: 'readReminder',
          summary: 'Read a reminder and its result',
          tags,
          params,
          response: responses({ 200: Reminder }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params }) => show(pool, caller, params.id),
    );

    app.delete(
      '/reminders/:id',
      {
        schema: {
          operationId: 'cancelReminder',
          summary: 'Cancel a reminder that is not delivered yet',
          tags,
          params,
          response: responses({ 200: Reminder }, 400, 404, 409, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, params } = request;
        return respondOnce(context, { request, reply }, async (db) => {
          const reminder = await readReminder(db, caller.projectId, params.id);
          if (!reminder) throw notFound('reminder', params.id);
          const result = await cancelReminder(db, caller, reminder);
          if (result.kind === 'refused')
            throw new HttpProblem('invalid_state', `reminder ${params.id}: ${result.reason}`);
          if (result.kind === 'changed') counters.count('jobs_cancelled_total');
          return { status: 200, headers: {}, body: await show(db, caller, params.id), dueAts: [] };
        });
      },
    );
  };

/** Cancels the schedule of a reminder, or its run if it has one. */
function cancelReminder(
  db: Database,
  { projectId, keyName: actor }: KeyOwner,
  { id: scheduleId, key, run }: ReminderView,
): Promise<ChangeResult<unknown>> {
  if (!run) return cancelSchedule(db, { ref: { projectId, key }, actor });
  const { occurrenceAt } = run;
  return cancelRun(db, { projectId, run: { scheduleId, occurrenceAt, origin: 'rule' }, actor });
}

async function show(db: Database, { projectId }: KeyOwner, key: string) {
  const reminder = await readReminder(db, projectId, key);
  if (!reminder) throw notFound('reminder', key);
  return presentReminder(reminder);
}
