import type { Pages } from '../pages.js';
import type { Calls } from '../transport/calls.js';
import { pathSegment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { Calendar, CalendarImport, CalendarInput, ChangedCalendar } from '../types/calendar.js';
import type { PageQuery } from '../types/instant.js';

const path = (name: string) => `/v1/calendars/${pathSegment(name)}`;

/** Named lists of dates and weekdays on which nothing fires. Schedules name them in `calendars`. */
export class Calendars {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Creates or replaces a calendar. The next occurrences of schedules that name it are computed again in the
   * background.
   */
  set(name: string, calendar: CalendarInput, options?: CallOptions): Promise<ChangedCalendar> {
    return this.#calls.change({ method: 'PUT', path: path(name), body: calendar }, options);
  }

  /**
   * Replaces the dates of a calendar by the dates of an .ics file. The file is given as text, or as a URL that is
   * fetched at an interval.
   */
  import(name: string, source: CalendarImport, options?: CallOptions): Promise<ChangedCalendar> {
    return this.#calls.post(`${path(name)}/import`, source, options);
  }

  get(name: string, options?: CallOptions): Promise<Calendar> {
    return this.#calls.read(path(name), undefined, options);
  }

  list(query?: PageQuery, options?: CallOptions): Pages<Calendar> {
    return this.#calls.pages('/v1/calendars', { ...query }, options);
  }

  /** Deletes a calendar. Fails if a schedule names it. */
  async delete(name: string, options?: CallOptions): Promise<void> {
    await this.#calls.change({ method: 'DELETE', path: path(name) }, options);
  }
}
