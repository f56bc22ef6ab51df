import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Slo } from './alert.js';
import type { HandlerPayload } from './handler.js';
import type { Duration, Instant } from './instant.js';
import type { RunOrigin, RunStatus } from './run.js';
import type { Target, TargetInput } from './target.js';

/** The rule of a schedule. Exactly one of its five fields is set. */
export interface Rule {
  at?: string | undefined;
  in?: Duration | undefined;
  every?: Duration | undefined;
  cron?: string | undefined;
  rrule?: string | undefined;
}

export interface RuleInput extends Omit<Rule, 'at'> {
  at?: Instant | undefined;
}

export type ScheduleStatus = 'active' | 'paused' | 'finished' | 'cancelled';
export type LeapDay = 'feb28' | 'mar1' | 'skip';
export type Overlap = 'allow' | 'skip' | 'queue' | 'cancel';

export interface Dst {
  gap: 'shift' | 'skip';
  overlap: 'first' | 'second' | 'both';
}

export interface Misfire {
  policy: 'once' | 'all' | 'skip';
  grace: Duration;
  limit: number;
}

export interface Retry {
  maxAttempts: number;
  baseDelay: Duration;
  maxDelay: Duration;
  jitter: boolean;
}

export interface Dependency {
  schedule: string;
  within: Duration;
}

type Partly<T> = { [Field in keyof T]?: T[Field] | undefined };

/** The fields that decide when a schedule fires. */
export interface Timing {
  rule: RuleInput;
  /** An IANA time zone. */
  timezone?: string | undefined;
  startAt?: Instant | null | undefined;
  endAt?: Instant | null | undefined;
  dst?: Partly<Dst> | undefined;
  leapDay?: LeapDay | undefined;
  exclusions?: string[] | undefined;
  /** Calendars whose dates and weekends are excluded. */
  calendars?: string[] | undefined;
  /** The policy for an occurrence on an excluded day (default `skip`). */
  onExcluded?: 'skip' | 'next' | 'previous' | undefined;
  /** The schedule fires only on these business days of a month: 3 is the third, -1 the last. */
  businessDays?: number[] | undefined;
}

/** The fields of a schedule besides its rule. */
export interface ScheduleOptions extends Omit<Timing, 'rule'> {
  name?: string | null | undefined;
  tags?: string[] | undefined;
  maxRuns?: number | null | undefined;
  jitter?: Duration | null | undefined;
  misfire?: Partly<Misfire> | undefined;
  overlap?: Overlap | undefined;
  maxConcurrentRuns?: number | null | undefined;
  dependsOn?: Dependency | null | undefined;
  retry?: Partly<Retry> | undefined;
  timeout?: Duration | undefined;
  pauseAfterFailures?: number | null | undefined;
  onSuccess?: string | null | undefined;
  onFailure?: string | null | undefined;
  /** The secret that signs the deliveries of this schedule. The API never returns it. */
  secret?: string | null | undefined;
  /** Objectives whose breach raises an alert. Null removes them. */
  slo?: Slo | null | undefined;
  target?: TargetInput | undefined;
  payload?: unknown;
}

type RuleOrTemplate = { rule: RuleInput; template?: undefined } | { template: string; rule?: undefined };

/** A schedule to create, with a rule or a template. An id is generated if omitted. */
export type ScheduleInput = ScheduleOptions & { id?: string | undefined } & RuleOrTemplate;

/** A schedule to create for a typed handler: the handler's schema gives the type of the payload. */
export type HandlerScheduleInput<Schema extends StandardSchemaV1> = Omit<
  ScheduleOptions,
  'target' | 'payload'
> & { id?: string | undefined } & RuleOrTemplate &
  HandlerPayload<Schema>;

/** An edit of a schedule. Omitted fields keep their value; `dst`, `misfire` and `retry` are merged field by field. */
export interface SchedulePatch extends ScheduleOptions {
  rule?: RuleInput | undefined;
}

/** A schedule with its state. */
export interface Schedule {
  id: string;
  name: string | null;
  tags: string[];
  rule: Rule;
  timezone: string;
  startAt: string | null;
  endAt: string | null;
  maxRuns: number | null;
  jitter: Duration | null;
  dst: Dst;
  leapDay: LeapDay;
  exclusions: string[];
  calendars: string[];
  onExcluded: 'skip' | 'next' | 'previous';
  businessDays: number[];
  misfire: Misfire;
  overlap: Overlap;
  maxConcurrentRuns: number | null;
  dependsOn: Dependency | null;
  retry: Retry;
  timeout: Duration;
  pauseAfterFailures: number | null;
  onSuccess: string | null;
  onFailure: string | null;
  slo: Slo | null;
  target: Target;
  payload: unknown;
  status: ScheduleStatus;
  /** The number of the current version. It begins with 1 and grows with each edit, pause, resume and cancel. */
  version: number;
  nextRunAt: string | null;
  lastRunAt: string | null;
  lastEnqueuedAt: string | null;
  runsTotal: number;
  pause: { at: string | null; until: string | null; by: string | null; note: string | null } | null;
  createdAt: string;
  updatedAt: string;
}

export type CreatedSchedule = Schedule & { warnings: string[] };
export type EditedSchedule = Schedule & { warnings: string[]; inFlight: string[] };
/** `purged` is true if the schedule was removed with its history. */
export type CancelledSchedule = Schedule & { inFlight: string[]; purged: boolean };
export type TriggeredSchedule = Schedule & { runId: string };
export type SkippedSchedule = Schedule & { skipped: string };
export type BackfilledSchedule = Schedule & { backfilled: number };

/** The outcome of one of the latest runs of a schedule. */
export interface RecentRun {
  runId: string;
  /** The instant of the occurrence. */
  at: string;
  origin: RunOrigin;
  status: RunStatus;
  reasonCode: string | null;
}

/**
 * A schedule of a list. `text` (the rule in words) and `recent` (the latest 30 runs, newest first) are set only if the
 * list was asked to include `recent`.
 */
export type ListedSchedule = Schedule & { text?: string | undefined; recent?: RecentRun[] | undefined };

/** A definition of a schedule, current or replaced, and its author. */
export interface ScheduleVersion
  extends Omit<
    Schedule,
    | 'id'
    | 'status'
    | 'nextRunAt'
    | 'lastRunAt'
    | 'lastEnqueuedAt'
    | 'runsTotal'
    | 'pause'
    | 'createdAt'
    | 'updatedAt'
  > {
  definedAt: string;
  definedBy: string;
  /** When another definition replaced this one; null for the current definition. */
  supersededAt: string | null;
  /** The first five occurrences after `definedAt`. */
  next: string[];
  /** The first five occurrences after `definedAt` by the previous definition; null for the first definition. */
  nextBefore: string[] | null;
}
