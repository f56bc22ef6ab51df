import { z } from 'zod';
import { CALENDAR_NAME, parseExclusion } from '../rules/index.js';

export const CalendarName = z
  .string()
  .regex(CALENDAR_NAME, 'expected a letter, then up to 63 letters, digits, ".", "_" or "-"')
  .meta({ id: 'CalendarName', examples: ['us-holidays'] });

const ExcludedDate = z
  .string()
  .max(32)
  .refine((text) => parseExclusion(text).ok, 'expected YYYY-MM-DD or YYYY-MM-DD/YYYY-MM-DD');

/** Dates on which nothing fires, under a name that schedules list among their exclusions. */
export const CalendarInput = z
  .strictObject({ dates: z.array(ExcludedDate).max(1_000) })
  .meta({ id: 'CalendarRequest', examples: [{ dates: ['2026-12-25', '2026-12-31/2027-01-01'] }] });

export const Calendar = z
  .object({ name: CalendarName, dates: z.array(z.string()), updatedAt: z.iso.datetime() })
  .meta({ id: 'Calendar' });

export const ChangedCalendar = Calendar.extend({
  /** How many schedules name it and were timed anew. */
  retimed: z.int(),
}).meta({ id: 'ChangedCalendar' });
