import type { Pages } from '../pages.js';
import type { Calls } from '../transport/calls.js';
import { segment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { Calendar, CalendarInput, ChangedCalendar } from '../types/calendar.js';

const path = (name: string) => `/v1/calendars/${segment(name)}`;

/** Dates on which nothing fires, under a name that schedules list among their exclusions. */
export class Calendars {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Makes it, or puts other dates in its place. Every schedule that names it is timed anew. */
  set(name: string, calendar: CalendarInput, options?: CallOptions): Promise<ChangedCalendar> {
    return this.#calls.change({ method: 'PUT', path: path(name), body: calendar }, options);
  }

  get(name: string, options?: CallOptions): Promise<Calendar> {
    return this.#calls.read(path(name), undefined, options);
  }

  list(options?: CallOptions): Pages<Calendar> {
    return this.#calls.pages('/v1/calendars', {}, options);
  }

  /** Only one that no schedule names. */
  async delete(name: string, options?: CallOptions): Promise<void> {
    await this.#calls.change({ method: 'DELETE', path: path(name) }, options);
  }
}
