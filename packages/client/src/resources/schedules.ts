import type { Pages } from '../pages.js';
import type { Calls, ChangeOptions, EditOptions } from '../transport/calls.js';
import { segment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { BulkAction, BulkActionAnswer, BulkAnswer, ScheduleFilter } from '../types/bulk.js';
import type { Instant, Page, PageQuery } from '../types/instant.js';
import type * as Shape from '../types/schedule.js';
import type { LedgerEntry, Occurrence } from '../types/time.js';

const path = (id: string, rest = '') => `/v1/schedules/${segment(id)}${rest}`;

/** Schedules, and what can be done with them. Actions answer with the schedule as it now is. */
export class Schedules {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** The same id and definition again answers with the schedule that is there. */
  create(schedule: Shape.ScheduleInput, options?: ChangeOptions): Promise<Shape.CreatedSchedule> {
    return this.#calls.post('/v1/schedules', schedule, options);
  }

  /** Up to 10,000 in one call, each judged by itself: look at `refused`, and at the `result` of each. */
  createMany(schedules: readonly Shape.ScheduleInput[], options?: ChangeOptions): Promise<BulkAnswer> {
    return this.#calls.post('/v1/schedules/bulk', { items: schedules }, options);
  }

  get(id: string, options?: CallOptions): Promise<Shape.Schedule> {
    return this.#calls.read(path(id), undefined, options);
  }

  /** Newest first. */
  list(filter?: ScheduleFilter & PageQuery, options?: CallOptions): Pages<Shape.Schedule> {
    return this.#calls.pages('/v1/schedules', { ...filter }, options);
  }

  /** What is left out stays. */
  update(id: string, patch: Shape.SchedulePatch, options?: EditOptions): Promise<Shape.EditedSchedule> {
    return this.#calls.change({ method: 'PATCH', path: path(id), body: patch }, options);
  }

  /** For good. Names the runs in flight, which go on to their end. */
  cancel(id: string, options?: EditOptions): Promise<Shape.CancelledSchedule> {
    return this.#calls.change({ method: 'DELETE', path: path(id) }, options);
  }

  pause(
    id: string,
    { note, until, ...options }: EditOptions & { note?: string | null; until?: Instant | null } = {},
  ): Promise<Shape.Schedule> {
    return this.#calls.post(path(id, '/pause'), { note, until }, options);
  }

  resume(id: string, options?: EditOptions): Promise<Shape.Schedule> {
    return this.#calls.post(path(id, '/resume'), undefined, options);
  }

  /** Runs it now; what comes next stays where it is. */
  trigger(id: string, options?: EditOptions): Promise<Shape.TriggeredSchedule> {
    return this.#calls.post(path(id, '/trigger'), undefined, options);
  }

  /** Moves the next occurrence, and only that one. */
  reschedule(id: string, { at, ...options }: EditOptions & { at: Instant }): Promise<Shape.Schedule> {
    return this.#calls.post(path(id, '/reschedule'), { at }, options);
  }

  skipNext(id: string, options?: EditOptions): Promise<Shape.SkippedSchedule> {
    return this.#calls.post(path(id, '/skip-next'), undefined, options);
  }

  /** Runs the occurrences of a range that did not succeed. */
  backfill(
    id: string,
    { from, to, ...options }: EditOptions & { from: Instant; to: Instant },
  ): Promise<Shape.BackfilledSchedule> {
    return this.#calls.post(path(id, '/backfill'), { from, to }, options);
  }

  /**
   * The same to all that match. One call changes up to 10,000; where more match, `nextCursor` is for the next. Not sent
   * again where nobody knows whether it arrived: it would trigger twice.
   */
  act(action: BulkAction, options?: ChangeOptions): Promise<BulkActionAnswer> {
    return this.#calls.change({ method: 'POST', path: '/v1/schedules/actions', body: action }, options);
  }

  /** The next ones, in local time, and the rule in words. */
  occurrences(
    id: string,
    query?: PageQuery,
    options?: CallOptions,
  ): Pages<Occurrence, Page<Occurrence> & { text: string }> {
    return this.#calls.pages(path(id, '/occurrences'), { ...query }, options);
  }

  /** Each occurrence that the rule named, and why it ran or did not. Without a range: the last day and the next. */
  ledger(
    id: string,
    query?: PageQuery & { from?: Instant | undefined; to?: Instant | undefined },
    options?: CallOptions,
  ): Pages<LedgerEntry> {
    return this.#calls.pages(path(id, '/ledger'), { ...query }, options);
  }
}
