import type { PlanAction, PlannedSchedule } from '../../types/plan.js';
import type { ScheduleInput } from '../../types/schedule.js';

/** A schedule of a file, and the change that `carillon apply` would make. */
export interface PlannedEntry extends Omit<PlannedSchedule, 'index' | 'action' | 'id'> {
  action: PlanAction;
  id: string;
  /** The place of the schedule in its file, such as `schedules.yaml:12`. */
  source: string;
  set: string | null;
  /** The body of the PUT. */
  schedule: ScheduleInput;
  /** Why the entry cannot be applied; null if it can. */
  problem: string | null;
}

/** An existing schedule that belongs to the set of a file but is in none of the files. */
export interface PrunedEntry {
  id: string;
  set: string;
  version: number;
  name: string | null;
}

export interface FilePlan {
  entries: PlannedEntry[];
  pruned: PrunedEntry[];
  /** Schedules that belong to the set of a file but are in no file. With `--prune` they are in `pruned` instead. */
  unlisted: PrunedEntry[];
}

export const isPending = ({ action, problem }: PlannedEntry) => problem === null && action !== 'keep';

export const hasChanges = ({ entries, pruned }: FilePlan) => entries.some(isPending) || pruned.length > 0;

export const hasProblems = ({ entries }: FilePlan) => entries.some(({ problem }) => problem !== null);
