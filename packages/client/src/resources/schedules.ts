import type { StandardSchemaV1 } from '@standard-schema/spec';
import { toRequest } from '../handler-payload.js';
import type { Pages } from '../pages.js';
import type { Calls, ChangeOptions, EditOptions, PutOptions } from '../transport/calls.js';
import { pathSegment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { Heartbeat } from '../types/alert.js';
import type {
  BulkAction,
  BulkActionAnswer,
  BulkActionProgress,
  BulkAnswer,
  ScheduleFilter,
} from '../types/bulk.js';
import type { HandlerPatch } from '../types/handler.js';
import type { Instant, Page, PageQuery } from '../types/instant.js';
import type { SchedulePlan } from '../types/plan.js';
import type * as Shape from '../types/schedule.js';
import type { LedgerEntry, Occurrence } from '../types/time.js';

const path = (id: string, rest = '') => `/v1/schedules/${pathSegment(id)}${rest}`;

/** Schedules and the actions on them. Actions return the new state of the schedule. */
export class Schedules {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Creates a schedule. A repeated call with the same id and definition returns the existing schedule. With `handler`,
   * the payload is checked against the schema of the handler before anything is sent.
   */
  create(schedule: Shape.ScheduleInput, options?: ChangeOptions): Promise<Shape.CreatedSchedule>;
  create<Schema extends StandardSchemaV1>(
    schedule: Shape.HandlerScheduleInput<Schema>,
    options?: ChangeOptions,
  ): Promise<Shape.CreatedSchedule>;
  async create(schedule: object, options?: ChangeOptions): Promise<Shape.CreatedSchedule> {
    return this.#calls.post('/v1/schedules', await toRequest(schedule), options);
  }

  /**
   * Creates up to 10,000 schedules in one call, and returns a result for each. `refused` is the number of those that
   * were not created because of an error.
   */
  createMany(schedules: readonly Shape.ScheduleInput[], options?: ChangeOptions): Promise<BulkAnswer>;
  createMany<Schema extends StandardSchemaV1>(
    schedules: readonly Shape.HandlerScheduleInput<Schema>[],
    options?: ChangeOptions,
  ): Promise<BulkAnswer>;
  async createMany(schedules: readonly object[], options?: ChangeOptions): Promise<BulkAnswer> {
    const items = await Promise.all(schedules.map(toRequest));
    return this.#calls.post('/v1/schedules/bulk', { items }, options);
  }

  get(id: string, options?: CallOptions): Promise<Shape.Schedule> {
    return this.#calls.read(path(id), undefined, options);
  }

  /**
   * Lists schedules, newest first. `include: 'recent'` adds the latest runs of each schedule. `order: 'next'` lists the
   * schedules that have a next run, the soonest first.
   */
  list(
    filter?: ScheduleFilter &
      PageQuery & { include?: 'recent' | undefined; order?: 'newest' | 'next' | undefined },
    options?: CallOptions,
  ): Pages<Shape.ListedSchedule> {
    return this.#calls.pages('/v1/schedules', { ...filter }, options);
  }

  /**
   * Creates a schedule under this id, or replaces its definition. Omitted fields get their defaults, except `secret`,
   * which stays. A cancelled schedule starts anew.
   */
  put(id: string, schedule: Shape.ScheduleInput, options?: PutOptions): Promise<Shape.EditedSchedule> {
    return this.#calls.change({ method: 'PUT', path: path(id), body: schedule }, options);
  }

  /**
   * Says what a `put` of each schedule would change, field by field, and saves nothing. Up to 1,000 schedules, each
   * with its id.
   */
  plan(schedules: readonly Shape.ScheduleInput[], options?: CallOptions): Promise<SchedulePlan> {
    return this.#calls.post('/v1/schedules/plan', { items: schedules }, options);
  }

  /**
   * Edits a schedule. Omitted fields keep their value. With `handler`, the payload is checked before anything is sent.
   */
  update(id: string, patch: Shape.SchedulePatch, options?: EditOptions): Promise<Shape.EditedSchedule>;
  update<Schema extends StandardSchemaV1>(
    id: string,
    patch: HandlerPatch<Schema>,
    options?: EditOptions,
  ): Promise<Shape.EditedSchedule>;
  async update(id: string, patch: object, options?: EditOptions): Promise<Shape.EditedSchedule> {
    return this.#calls.change({ method: 'PATCH', path: path(id), body: await toRequest(patch) }, options);
  }

  /**
   * Cancels a schedule permanently. Runs in flight are not interrupted; the answer lists them. With `purge`, the
   * schedule is removed with its history, and its id is free again.
   */
  cancel(
    id: string,
    { purge, ...options }: EditOptions & { purge?: boolean | undefined } = {},
  ): Promise<Shape.CancelledSchedule> {
    const query = purge ? { purge: true } : undefined;
    return this.#calls.change({ method: 'DELETE', path: path(id), query }, options);
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

  /** Runs a schedule now, in addition to its next occurrence. */
  trigger(id: string, options?: EditOptions): Promise<Shape.TriggeredSchedule> {
    return this.#calls.post(path(id, '/trigger'), undefined, options);
  }

  /** Moves the next occurrence to another time. Later occurrences keep their times. */
  reschedule(id: string, { at, ...options }: EditOptions & { at: Instant }): Promise<Shape.Schedule> {
    return this.#calls.post(path(id, '/reschedule'), { at }, options);
  }

  skipNext(id: string, options?: EditOptions): Promise<Shape.SkippedSchedule> {
    return this.#calls.post(path(id, '/skip-next'), undefined, options);
  }

  /** Runs the past occurrences of a time range that have no successful run. */
  backfill(
    id: string,
    { from, to, ...options }: EditOptions & { from: Instant; to: Instant },
  ): Promise<Shape.BackfilledSchedule> {
    return this.#calls.post(path(id, '/backfill'), { from, to }, options);
  }

  /**
   * Applies one action to all schedules that match. If the action takes more than ten seconds, the answer has
   * the status `running`, the action continues, and `action(id)` returns its progress.
   */
  act(action: BulkAction, options?: ChangeOptions): Promise<BulkActionAnswer> {
    return this.#calls.post('/v1/schedules/actions', action, options);
  }

  /** Lists the latest bulk actions, newest first. */
  actions(query?: Pick<PageQuery, 'limit'>, options?: CallOptions): Promise<Page<BulkActionProgress>> {
    return this.#calls.read('/v1/actions', { ...query }, options);
  }

  /** Returns the progress of a bulk action. */
  action(id: string, options?: CallOptions): Promise<BulkActionProgress> {
    return this.#calls.read(`/v1/schedules/actions/${pathSegment(id)}`, undefined, options);
  }

  /**
   * Lists all definitions of a schedule, newest first: the author and the time of each, and how it changed the next
   * occurrences.
   */
  versions(id: string, query?: PageQuery, options?: CallOptions): Pages<Shape.ScheduleVersion> {
    return this.#calls.pages(path(id, '/versions'), { ...query }, options);
  }

  /**
   * Returns the URLs at which the job of a schedule with the target `heartbeat` reports (ping URLs), and the latest
   * reports.
   */
  heartbeat(id: string, options?: CallOptions): Promise<Heartbeat> {
    return this.#calls.read(path(id, '/heartbeat'), undefined, options);
  }

  /** Makes new URLs for the reports of the job of a heartbeat. The old URLs stop working at once. */
  rotateHeartbeat(id: string, options?: CallOptions): Promise<Heartbeat> {
    return this.#calls.change({ method: 'POST', path: path(id, '/heartbeat/rotate') }, options);
  }

  /** Lists the next occurrences in local time, with the rule in words. */
  occurrences(
    id: string,
    query?: PageQuery,
    options?: CallOptions,
  ): Pages<Occurrence, Page<Occurrence> & { text: string }> {
    return this.#calls.pages(path(id, '/occurrences'), { ...query }, options);
  }

  /**
   * Lists occurrences, and why each ran or did not. Default range: the last day and the next day. With `order: 'desc'`,
   * the newest occurrence comes first, and the default range is the last day.
   */
  ledger(
    id: string,
    query?: PageQuery & {
      from?: Instant | undefined;
      to?: Instant | undefined;
      order?: 'asc' | 'desc' | undefined;
    },
    options?: CallOptions,
  ): Pages<LedgerEntry> {
    return this.#calls.pages(path(id, '/ledger'), { ...query }, options);
  }
}
