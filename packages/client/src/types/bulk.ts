import type { FieldError } from '../transport/carillon-error.js';
import type { Instant } from './instant.js';
import type { ScheduleStatus } from './schedule.js';
import type { Target } from './target.js';

/** What a list of schedules can be narrowed down by. */
export interface ScheduleFilter {
  status?: ScheduleStatus | undefined;
  tag?: string | undefined;
  /** Anywhere in the id or the name. */
  q?: string | undefined;
  target?: Target['type'] | undefined;
  dueBefore?: Instant | undefined;
  dueAfter?: Instant | undefined;
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
  /** One for each schedule, in order. */
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

/** The same to all that match: an action takes the fields that it takes on one schedule. */
export interface BulkAction {
  action: BulkActionName;
  filter?: ScheduleFilter | undefined;
  /** Only counts. */
  dryRun?: boolean | undefined;
  note?: string | null | undefined;
  until?: Instant | null | undefined;
  at?: Instant | undefined;
  from?: Instant | undefined;
  to?: Instant | undefined;
  cursor?: string | undefined;
}

export interface BulkActionAnswer {
  action: BulkActionName;
  dryRun: boolean;
  matched: number;
  changed: number;
  refused: number;
  /** The first hundred. */
  refusals: { id: string; reason: string }[];
  nextCursor: string | null;
}
