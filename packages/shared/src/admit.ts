import type { Plan } from './plan.js';

/** The number of open runs of a schedule, counted while the row of the schedule is locked. */
export interface OpenRuns {
  /** Runs that are `running` or `retrying`, and queued runs whose turn has come but that no worker has claimed yet. */
  started: number;
  /** Queued runs that wait until an open run of the schedule has ended. */
  queued: number;
}

export type Admission =
  | { kind: 'start' }
  /** Start, and cancel the runs that are open. */
  | { kind: 'replace' }
  | { kind: 'queue' }
  | { kind: 'skip'; reasonCode: 'overlap' | 'queue_full' | 'dependency'; reason: string };

/**
 * Maximum number of queued runs of a schedule. A schedule that reaches it can't keep up, so further runs are skipped.
 */
const MAX_QUEUE_LENGTH = 1_000;

/** Decides, by the policies of the schedule, whether another run may start while others are open. */
export function admitRun(plan: Plan, open: OpenRuns, isDependencyMet: boolean): Admission {
  if (!isDependencyMet) {
    const reason = `${plan.dependsOn?.schedule} has not succeeded within the time that this schedule depends on`;
    return { kind: 'skip', reasonCode: 'dependency', reason };
  }
  if (open.started + open.queued < concurrentRuns(plan)) return { kind: 'start' };
  if (plan.overlap === 'cancel') return { kind: 'replace' };
  if (plan.overlap === 'skip') {
    return { kind: 'skip', reasonCode: 'overlap', reason: 'the previous run was still open' };
  }
  if (open.queued < MAX_QUEUE_LENGTH) return { kind: 'queue' };
  return { kind: 'skip', reasonCode: 'queue_full', reason: `${MAX_QUEUE_LENGTH} runs were queued before it` };
}

/** Maximum number of runs of the schedule that may be started (`OpenRuns.started`) at the same time. */
export function concurrentRuns(plan: Pick<Plan, 'overlap' | 'maxConcurrentRuns'>): number {
  return plan.maxConcurrentRuns ?? (plan.overlap === 'allow' ? Number.POSITIVE_INFINITY : 1);
}
