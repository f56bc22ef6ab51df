export interface CalendarInput {
  /** `2026-12-25`, or a range `2026-12-31/2027-01-01`. */
  dates: string[];
}

/** Dates on which nothing fires. */
export interface Calendar {
  name: string;
  dates: string[];
  updatedAt: string;
}

/** `retimed`: how many schedules name it and were timed anew. */
export type ChangedCalendar = Calendar & { retimed: number };
