import { listCalendars, readCalendar, removeCalendar, setCalendar } from '@carillon/db';
import { Calendar, CalendarInput, CalendarName, ChangedCalendar, listOf } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { requireScope } from '../plugins/authenticate.js';
import { HttpProblem, notFound } from '../problem.js';

const tags = ['Calendars'];
const params = z.object({ name: CalendarName });
const present = (calendar: { name: string; dates: string[]; updatedAt: Date }) => ({
  ...calendar,
  updatedAt: calendar.updatedAt.toISOString(),
});

/** Named dates on which nothing fires: schedules list them among their `exclusions`. */
export const calendarRoutes =
  ({ pool, bells }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.put(
      '/calendars/:name',
      {
        schema: {
          operationId: 'setCalendar',
          summary: 'Make or change a calendar',
          description: 'Every schedule that names it is timed anew.',
          tags,
          params,
          body: CalendarInput,
          response: answers({ 200: ChangedCalendar }, ...BODY),
        },
        onRequest: requireScope('write'),
      },
      async ({ caller, params: { name }, body: { dates } }) => {
        const owner = { projectId: caller.projectId, actor: caller.keyName };
        const { retimed, dueAts } = await setCalendar(pool, {
          ...owner,
          name,
          dates: [...new Set(dates)].sort(),
        });
        bells.arm(dueAts).catch(() => {}); // The sweep arms what is missing.
        const calendar = await readCalendar(pool, caller.projectId, name);
        if (!calendar) throw notFound('calendar', name);
        return { ...present(calendar), retimed };
      },
    );

    app.get(
      '/calendars',
      {
        schema: {
          operationId: 'listCalendars',
          summary: 'List calendars',
          tags,
          response: answers({ 200: listOf(Calendar) }),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller }) => ({
        items: (await listCalendars(pool, caller.projectId)).map(present),
        nextCursor: null,
      }),
    );

    app.get(
      '/calendars/:name',
      {
        schema: {
          operationId: 'readCalendar',
          summary: 'Read a calendar',
          tags,
          params,
          response: answers({ 200: Calendar }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params: { name } }) => {
        const calendar = await readCalendar(pool, caller.projectId, name);
        if (!calendar) throw notFound('calendar', name);
        return present(calendar);
      },
    );

    app.delete(
      '/calendars/:name',
      {
        schema: {
          operationId: 'removeCalendar',
          summary: 'Remove a calendar that no schedule names',
          tags,
          params,
          response: answers({ 200: Calendar }, 400, 404, 409),
        },
        onRequest: requireScope('write'),
      },
      async ({ caller, params: { name } }) => {
        const owner = { projectId: caller.projectId, actor: caller.keyName };
        const calendar = await readCalendar(pool, caller.projectId, name);
        const removed = await removeCalendar(pool, { ...owner, name });
        if (!calendar || removed.kind === 'not_found') throw notFound('calendar', name);
        if (removed.kind === 'in_use') {
          const [first] = removed.by;
          throw new HttpProblem(
            409,
            `calendar ${name} is named by ${removed.by.length} schedules, ${first} among them`,
          );
        }
        return present(calendar);
      },
    );
  };
