import type { Duration, Instant } from './instant.js';
import type { Target, TargetInput } from './target.js';

/** One of five. */
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

/** What decides when. */
export interface Timing {
  rule: RuleInput;
  /** An IANA time zone. */
  timezone?: string | undefined;
  startAt?: Instant | null | undefined;
  endAt?: Instant | null | undefined;
  dst?: Partly<Dst> | undefined;
  leapDay?: LeapDay | undefined;
  exclusions?: string[] | undefined;
}

/** What may be said of a schedule, apart from its rule. */
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
  /** Signs the deliveries of this schedule. Never shown again. */
  secret?: string | null | undefined;
  target?: TargetInput | undefined;
  payload?: unknown;
}

/** A schedule to create, by a rule or by the template that holds one. Without an id of its own it is given one. */
export type ScheduleInput = ScheduleOptions & { id?: string | undefined } & (
    | { rule: RuleInput; template?: undefined }
    | { template: string; rule?: undefined }
  );

/** What is left out stays; `dst`, `misfire` and `retry` are merged field by field. */
export interface SchedulePatch extends ScheduleOptions {
  rule?: RuleInput | undefined;
}

/** A schedule as it stands. */
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
  misfire: Misfire;
  overlap: Overlap;
  maxConcurrentRuns: number | null;
  dependsOn: Dependency | null;
  retry: Retry;
  timeout: Duration;
  pauseAfterFailures: number | null;
  onSuccess: string | null;
  onFailure: string | null;
  target: Target;
  payload: unknown;
  status: ScheduleStatus;
  /** Counts edits, pauses, resumes and a cancel. */
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
export type CancelledSchedule = Schedule & { inFlight: string[] };
export type TriggeredSchedule = Schedule & { runId: string };
export type SkippedSchedule = Schedule & { skipped: string };
export type BackfilledSchedule = Schedule & { backfilled: number };
