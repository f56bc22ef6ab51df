import { excludedWeekday, parseExclusion, WEEKDAY_CODES } from '@carillon/recurrence';
import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../durations.js';
import { CalendarName } from './calendar-name.js';
import { duration, Instant, WebUrl } from './fields.js';
import { NullableInstant } from './list.js';

const ExcludedDate = z
  .string()
  .max(32)
  .refine((text) => parseExclusion(text).ok, 'expected YYYY-MM-DD or YYYY-MM-DD/YYYY-MM-DD');

/** The weekdays in the order of `WEEKDAY_CODES`, the codes with which a calendar is stored. */
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
type Weekday = (typeof WEEKDAYS)[number];

const Weekends = z
  .array(z.enum(WEEKDAYS))
  .max(6, 'expected at least one weekday that is not part of the weekend')
  .meta({
    description: 'Weekdays on which nothing fires. Usually saturday and sunday.',
    examples: [['saturday', 'sunday']],
  });

/** Maximum number of dates in a calendar, weekends not counted. */
export const MAX_CALENDAR_DATES = 1_000;

/** A named list of dates and weekdays on which nothing fires. Schedules refer to it by its name. */
export const CalendarInput = z
  .strictObject({
    dates: z.array(ExcludedDate).max(MAX_CALENDAR_DATES).default([]),
    weekends: Weekends.default([]),
  })
  .meta({
    id: 'CalendarRequest',
    examples: [{ dates: ['2026-12-25', '2026-12-31/2027-01-01'], weekends: ['saturday', 'sunday'] }],
  });

/** Holidays in iCalendar form: the text itself, or the address of a file that is read again at an interval. */
export const CalendarImport = z
  .strictObject({
    ics: z.string().min(1).max(1_000_000).optional().describe('The text of an .ics file.'),
    url: WebUrl.optional().describe('The address of an .ics file. A worker fetches it.'),
    refresh: duration({ minMs: HOUR_MS, maxMs: 366 * DAY_MS, example: 'P7D' })
      .optional()
      .describe('The interval at which the file is fetched again. Default: P1D.'),
    weekends: Weekends.optional().describe(
      'Weekdays on which nothing fires. Default: the weekdays that the calendar has already.',
    ),
  })
  .refine(({ ics, url }) => (ics === undefined) !== (url === undefined), {
    error: 'expected either ics or url',
  })
  .refine(({ refresh, url }) => refresh === undefined || url !== undefined, {
    error: 'refresh is for a url',
    path: ['refresh'],
  })
  .meta({ id: 'CalendarImport', examples: [{ url: 'https://example.com/holidays.ics', refresh: 'P7D' }] });

export const Calendar = z
  .object({
    name: CalendarName,
    dates: z.array(z.string()),
    weekends: z.array(z.enum(WEEKDAYS)),
    source: z
      .object({
        url: z.string(),
        refresh: z.string().meta({ format: 'duration' }),
        refreshedAt: NullableInstant.meta({ description: 'The last time that the file could be read.' }),
        error: z
          .string()
          .nullable()
          .meta({ description: 'The error of the latest fetch; null if the fetch succeeded.' }),
      })
      .nullable()
      .meta({ description: 'The .ics file from which the dates were imported; null if there is none.' }),
    updatedAt: Instant,
  })
  .meta({ id: 'Calendar' });

export const ChangedCalendar = Calendar.extend({
  retiming: z.int().meta({
    description:
      'The number of schedules that use the calendar and are re-timed now. It happens in the background, within seconds.',
  }),
}).meta({ id: 'ChangedCalendar' });

/** The stored form of a calendar: one list of dates and weekday codes, sorted and without repetitions. */
export function storeCalendar({
  dates,
  weekends,
}: {
  dates: readonly string[];
  weekends: readonly Weekday[];
}): string[] {
  const codes = weekends.flatMap((weekday) => WEEKDAY_CODES[WEEKDAYS.indexOf(weekday)] ?? []);
  return [...new Set([...dates, ...codes])].sort();
}

/** Splits the stored form of a calendar into dates and weekdays. */
export function readCalendarEntries(entries: readonly string[]): { dates: string[]; weekends: Weekday[] } {
  return {
    dates: entries.filter((entry) => excludedWeekday(entry) === null),
    weekends: entries.flatMap((entry) => WEEKDAYS[excludedWeekday(entry) ?? -1] ?? []),
  };
}
