import {
  countStaleUsers,
  listCalendars,
  readCalendar,
  removeCalendar,
  setCalendar,
  setCalendarSource,
} from '@carillon/db';
import { TICKS } from '@carillon/queue';
import {
  Calendar,
  CalendarImport,
  CalendarInput,
  CalendarName,
  ChangedCalendar,
  Cursor,
  hostProblem,
  Limit,
  listOf,
  MAX_CALENDAR_DATES,
  parseDuration,
  readCalendarEntries,
  readIcsDates,
  storeCalendar,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, pageOf } from '../http/cursor.js';
import { HttpProblem, invalid, notFound } from '../http/problem.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentCalendar } from '../present/calendar.js';

const tags = ['Calendars'];
const params = z.object({ name: CalendarName });
const DAY_SECONDS = 86_400;
const MAX_IMPORT_BYTES = 1_100_000;

/** Named lists of dates and weekdays on which nothing fires. Schedules name them in `calendars` or `exclusions`. */
export const calendarRoutes =
  ({ pool, wakeUps, clock, defaults }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    /**
     * Wakes a worker to compute new next occurrences for the schedules of a changed calendar, and returns the calendar.
     * If the wake-up is lost, a sweep does the work later.
     */
    const changed = async (projectId: number, name: string): Promise<z.infer<typeof ChangedCalendar>> => {
      wakeUps.wake(TICKS.calendars).catch(() => {});
      const [calendar, retiming] = await Promise.all([
        readCalendar(pool, projectId, name),
        countStaleUsers(pool, { projectId, name }),
      ]);
      if (!calendar) throw notFound('calendar', name);
      return { ...presentCalendar(calendar), retiming };
    };

    app.put(
      '/calendars/:name',
      {
        schema: {
          operationId: 'setCalendar',
          summary: 'Create or replace a calendar',
          description:
            'In the background, a worker then computes a new next occurrence for every schedule that names the calendar.',
          tags,
          params,
          body: CalendarInput,
          response: responses({ 200: ChangedCalendar }, ...BODY_ERRORS),
        },
        onRequest: requireScope('write'),
      },
      async ({ caller: { projectId, keyName: actor }, params: { name }, body }) => {
        await setCalendar(pool, { projectId, actor, name, dates: storeCalendar(body) });
        return changed(projectId, name);
      },
    );

    app.post(
      '/calendars/:name/import',
      {
        schema: {
          operationId: 'importCalendar',
          summary: 'Import holidays from an .ics file',
          description:
            'Replaces the dates of the calendar, and creates it if it is new. With `ics` the dates are read at once. With `url` a worker fetches the file now and again at the interval `refresh`; `source` shows the result. Repeating events are read from a year ago until five years ahead.',
          tags,
          params,
          body: CalendarImport,
          response: responses({ 200: ChangedCalendar }, ...BODY_ERRORS),
        },
        bodyLimit: MAX_IMPORT_BYTES,
        onRequest: requireScope('write'),
      },
      async ({ caller: { projectId, keyName: actor }, params: { name }, body }) => {
        const { ics, url, refresh, weekends } = body;
        if (url !== undefined) {
          const problem = hostProblem(url, { allowPrivate: defaults.allowPrivateTargets });
          if (problem !== null) throw invalid([{ field: 'url', message: problem }]);
          const refreshSeconds =
            refresh === undefined ? DAY_SECONDS : Math.round((parseDuration(refresh) ?? 0) / 1_000);
          const weekdays = weekends === undefined ? null : storeCalendar({ dates: [], weekends });
          await setCalendarSource(pool, { projectId, name, actor, url, refreshSeconds, weekdays });
          return changed(projectId, name);
        }
        const read = readIcsDates(ics ?? '', {
          nowAt: Math.floor(clock.now()),
          maxDates: MAX_CALENDAR_DATES,
        });
        if (!read.ok) throw invalid([{ field: 'ics', message: read.problem }]);
        const before = weekends === undefined ? await readCalendar(pool, projectId, name) : null;
        const kept = weekends ?? readCalendarEntries(before?.dates ?? []).weekends;
        const dates = storeCalendar({ dates: read.dates, weekends: kept });
        await setCalendar(pool, { projectId, actor, name, dates });
        return changed(projectId, name);
      },
    );

    app.get(
      '/calendars',
      {
        schema: {
          operationId: 'listCalendars',
          summary: 'List calendars',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(Calendar) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, query: { limit, cursor } }) => {
        const afterName = cursor === undefined ? null : decodeCursor(cursor);
        const calendars = await listCalendars(pool, {
          projectId: caller.projectId,
          limit: limit + 1,
          afterName,
        });
        const { items, nextCursor } = pageOf(calendars, limit, ({ name }) => name);
        return { items: items.map(presentCalendar), nextCursor };
      },
    );

    app.get(
      '/calendars/:name',
      {
        schema: {
          operationId: 'readCalendar',
          summary: 'Read a calendar',
          tags,
          params,
          response: responses({ 200: Calendar }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params: { name } }) => {
        const calendar = await readCalendar(pool, caller.projectId, name);
        if (!calendar) throw notFound('calendar', name);
        return presentCalendar(calendar);
      },
    );

    app.delete(
      '/calendars/:name',
      {
        schema: {
          operationId: 'removeCalendar',
          summary: 'Delete a calendar that no schedule names',
          tags,
          params,
          response: responses({ 200: Calendar }, 400, 404, 409),
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
            'in_use',
            `calendar ${name} is named by ${removed.by.length} schedules, for example ${first}`,
          );
        }
        return presentCalendar(calendar);
      },
    );
  };
