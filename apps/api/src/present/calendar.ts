import type { CalendarView } from '@carillon/db';
import { type Calendar, formatDuration, readCalendarEntries } from '@carillon/shared';
import type { z } from 'zod';
import { iso } from './iso.js';

export function presentCalendar(calendar: CalendarView): z.infer<typeof Calendar> {
  const { name, dates, updatedAt, sourceUrl, refreshSeconds, refreshedAt, refreshError } = calendar;
  return {
    name,
    ...readCalendarEntries(dates),
    source:
      sourceUrl === null
        ? null
        : {
            url: sourceUrl,
            refresh: formatDuration((refreshSeconds ?? 0) * 1_000),
            refreshedAt: iso(refreshedAt),
            error: refreshError,
          },
    updatedAt: iso(updatedAt),
  };
}
