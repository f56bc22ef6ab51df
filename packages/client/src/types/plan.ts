import type { FieldError } from '../transport/carillon-error.js';
import type { ScheduleStatus } from './schedule.js';

/** `restore`: the schedule is cancelled, and the `put` starts it anew. `invalid`: the `put` would be refused. */
export type PlanAction = 'create' | 'restore' | 'change' | 'keep' | 'invalid';

/** The changes that a `put` of one schedule would make. */
export interface PlannedSchedule {
  index: number;
  id: string | null;
  action: PlanAction;
  /** The version that the plan is based on, for `ifMatch`; null if there is no such schedule. */
  version: number | null;
  /** The status and the tags that the schedule has now. */
  status: ScheduleStatus | null;
  tags: string[] | null;
  /** Values of headers and secrets are not shown. */
  changes: { field: string; before: unknown; after: unknown }[];
  /** The next five occurrences after the change; null if they stay as they are. */
  next: string[] | null;
  nextBefore: string[] | null;
  warnings: string[];
  errors?: FieldError[] | undefined;
}

export interface SchedulePlan {
  /** One result per schedule, in order. */
  items: PlannedSchedule[];
}
