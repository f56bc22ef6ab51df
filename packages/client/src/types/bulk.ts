import type { FieldError } from '../transport/carillon-error.js';
import type { Instant } from './instant.js';
import type { ScheduleStatus } from './schedule.js';
import type { Target } from './target.js';

/** Filters for schedules. */
export interface ScheduleFilter {
  status?: ScheduleStatus | undefined;
  tag?: string | undefined;
  /** Text in the id or the name. */
  q?: string | undefined;
  target?: Target['type'] | undefined;
  dueBefore?: Instant | undefined;
  dueAfter?: Instant | undefined;
  /** Only schedules that `attention()` lists for this reason. */
  attention?: 'failing' | 'paused' | 'overdue' | 'blocked' | 'breaching' | undefined;
}

export interface BulkResult {
  index: number;
  id: string | null;
  result: 'created' | 'existing' | 'conflict' | 'invalid' | 'over_limit';
  nextRunAt: string | null;
  errors?: FieldError[] | undefined;
}

export interface BulkAnswer {
  created: number;
  existing: number;
  refused: number;
  /** One result per schedule, in order. */
  items: BulkResult[];
}

export type BulkActionName =
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'trigger'
  | 'skip-next'
  | 'reschedule'
  | 'backfill';

/** One action on all schedules that match `filter`. It takes the same fields as the action on a single schedule. */
export interface BulkAction {
  action: BulkActionName;
  filter?: ScheduleFilter | undefined;
  /** If true, nothing is changed: the answer counts the matches and lists examples. */
  dryRun?: boolean | undefined;
  /** If true, the API answers at once and acts in the background: `schedules.action(id)` returns the progress. */
  background?: boolean | undefined;
  note?: string | null | undefined;
  until?: Instant | null | undefined;
  at?: Instant | undefined;
  from?: Instant | undefined;
  to?: Instant | undefined;
  cursor?: string | undefined;
}

/** `lost`: the API replica that carried out the action has not reported for a minute. */
export type BulkActionStatus = 'running' | 'done' | 'failed' | 'lost';

export interface BulkActionAnswer {
  /** The id of the action, for `schedules.action(id)`; null for a dry run. */
  id: string | null;
  action: BulkActionName;
  dryRun: boolean;
  /** If `running`, the action goes on in the background, and `schedules.action(id)` returns its progress. */
  status: BulkActionStatus;
  matched: number;
  changed: number;
  refused: number;
  /** The first 100 refusals. */
  refusals: { id: string; reason: string }[];
  /** The result of a dry run: the first ten schedules, and the fires of all matches in the next 24 hours. */
  preview: {
    /** False if more schedules match than are counted; `matched` is then 100,000. */
    complete: boolean;
    examples: { id: string; name: string | null; nextRunAt: string | null }[];
    next24h: { fires: number; complete: boolean };
  } | null;
  /** Not null if the action was interrupted: send the same action with this cursor to continue it. */
  nextCursor: string | null;
}

/** The progress of a bulk action. */
export interface BulkActionProgress {
  id: string;
  action: BulkActionName;
  actor: string;
  status: BulkActionStatus;
  /**
   * The number of schedules that matched when the action began. Null if the action does not run in the background, or
   * if 100,000 or more schedules matched.
   */
  total: number | null;
  matched: number;
  changed: number;
  refused: number;
  refusals: { id: string; reason: string }[];
  error: string | null;
  /**
   * Not null if the action ended before all matches were handled: send the same action with this cursor to continue it.
   */
  nextCursor: string | null;
  startedAt: string;
  reportedAt: string;
  finishedAt: string | null;
}
