import type { Plan } from './plan.js';

/** The open runs of a schedule, seen under its row lock. */
export interface OpenRuns {
  /** `running` or `retrying`. */
  started: number;
  queued: number;
}

export type Admission =
  | { kind: 'start' }
  /** Start, and cancel the runs that are open. */
  | { kind: 'replace' }
  | { kind: 'queue' }
  | { kind: 'skip'; reasonCode: 'overlap' | 'queue_full' | 'dependency'; reason: string };

/** A queue that only grows is a schedule that can't keep up: past this, the policy's answer is to skip. */
const LONGEST_QUEUE = 1_000;

/** Whether another run may start beside those that are open, by the policies of the schedule. */
export function admitRun(plan: Plan, open: OpenRuns, isDependencyMet: boolean): Admission {
  if (!isDependencyMet) {
    const reason = `${plan.dependsOn?.schedule} has not succeeded within the time that this schedule depends on`;
    return { kind: 'skip', reasonCode: 'dependency', reason };
  }
  if (open.started + open.queued < concurrentRuns(plan)) return { kind: 'start' };
  if (plan.overlap === 'cancel') return { kind: 'replace' };
  if (plan.overlap === 'skip') {
    return { kind: 'skip', reasonCode: 'overlap', reason: 'the run before it was still going on' };
  }
  if (open.queued < LONGEST_QUEUE) return { kind: 'queue' };
  return { kind: 'skip', reasonCode: 'queue_full', reason: `${LONGEST_QUEUE} runs were queued before it` };
}

/** How many runs of the schedule may be started at a time. */
export function concurrentRuns(plan: Pick<Plan, 'overlap' | 'maxConcurrentRuns'>): number {
  return plan.maxConcurrentRuns ?? (plan.overlap === 'allow' ? Number.POSITIVE_INFINITY : 1);
}
