import type { Instant } from './instant.js';
import type { LedgerStep, RunOrigin, RunStatus } from './run.js';
import type { Rule, Timing } from './schedule.js';
import type { Target } from './target.js';

/** An occurrence of a rule. */
export interface Occurrence {
  at: string;
  local: string;
  /** Differs from `at` if the schedule has jitter or was rescheduled. */
  dueAt: string;
  /**
   * Says that a DST change affects this occurrence, that it was moved from an excluded day, or that it replaces 29
   * February. Null for nearly all occurrences.
   */
  remark: string | null;
}

export interface RulePreviewInput extends Timing {
  from?: Instant | undefined;
  limit?: number | undefined;
}

export interface RulePreview {
  /** The rule in words. */
  text: string;
  occurrences: { at: string; local: string; remark: string | null }[];
  /** Instants that are left out because their day is excluded, up to the last listed occurrence. */
  excluded: { at: string; local: string }[];
  warnings: string[];
}

/** The result of one occurrence, or of consecutive occurrences with the same result. */
export interface LedgerEntry {
  at: string;
  local: string;
  /** The last occurrence of the entry; null for a single occurrence. */
  until: string | null;
  count: number;
  origin: RunOrigin;
  /**
   * `missing`: the schedule had this occurrence by its rule, but there is neither a run nor a record (gap) of why it
   * did not run.
   */
  status: RunStatus | 'upcoming' | 'due' | 'paused' | 'missing';
  why: string;
  /** Everything that happened to the occurrence, step by step. */
  story: LedgerStep[];
  runId: string | null;
  version: number;
  remark: string | null;
}

/** A difference between the occurrences that a schedule had by its rule and the runs that exist. */
export interface OccurrenceDifference {
  scheduleId: string;
  kind: 'missing' | 'overdue' | 'unnamed';
  from: string;
  to: string;
  /** How many occurrences in a row differ. */
  count: number;
  version: number;
  message: string;
}

/** One page of a comparison of occurrences with runs. Follow `nextCursor` to compare all schedules. */
export interface OccurrenceAudit {
  from: string;
  to: string;
  /** Schedules and occurrences that this page compared. */
  schedules: number;
  occurrences: number;
  items: OccurrenceDifference[];
  nextCursor: string | null;
}

/** A schedule with occurrences in the next year that a clock change (DST) affects. */
export interface RuleLint {
  schedule: string;
  name: string | null;
  timezone: string;
  text: string;
  changes: { kind: 'gap' | 'overlap'; at: string; local: string; fires: boolean; effect: string }[];
}

export interface Forecast {
  from: string;
  to: string;
  total: number;
  /** When the fires were counted. Later changes of schedules are not in the answer. */
  computedAt: string;
  /** False while the forecast is being computed, or if it exceeded its time budget. */
  complete: boolean;
  /** Minutes without a fire are omitted. */
  minutes: { at: string; fires: number }[];
}

/** The schedules that fire in one minute, by the forecast. */
export interface ForecastMinute {
  at: string;
  fires: number;
  /** False while the forecast is being computed, or if `schedules` may lack some of them. */
  complete: boolean;
  /** Up to 100 schedules. */
  schedules: {
    id: string;
    name: string | null;
    rule: Rule;
    targetType: Target['type'];
    /** The next fire of the schedule, which may come before this minute. */
    nextRunAt: string;
  }[];
}
