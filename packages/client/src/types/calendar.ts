import type { Duration } from './instant.js';

export type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';

export interface CalendarInput {
  /** `2026-12-25`, or a range `2026-12-31/2027-01-01`. */
  dates?: string[] | undefined;
  /** Weekdays on which nothing fires. */
  weekends?: Weekday[] | undefined;
}

/** Either the text of an .ics file, or its address and how often it is fetched (default `P1D`). */
export interface CalendarImport {
  ics?: string | undefined;
  url?: string | undefined;
  refresh?: Duration | undefined;
  weekends?: Weekday[] | undefined;
}

/** Dates and weekdays on which nothing fires. */
export interface Calendar {
  name: string;
  dates: string[];
  weekends: Weekday[];
  /** The .ics file that the dates come from, if they come from one. */
  source: { url: string; refresh: string; refreshedAt: string | null; error: string | null } | null;
  updatedAt: string;
}

/** `retiming`: the number of schedules whose next occurrence is computed again now, in the background. */
export type ChangedCalendar = Calendar & { retiming: number };
