import {
  type DueOccurrence,
  type DueSchedule,
  decideDue,
  handlerOf,
  isCounted,
  type Plan,
  type Stretch,
  stretchFrom,
} from '@carillon/shared';
import type { Transaction } from '../database.js';
import { accountFor } from '../runs/account-for.js';
import { insertUnstartedRuns, type UnstartedRun } from '../runs/insert-unstarted.js';
import type { LockedSchedule } from './locked-schedule.js';
import { passedInPause } from './resume-schedule.js';

interface Redefinition {
  next: DueOccurrence | null;
  plan: Plan;
  version: number;
}

/**
 * Queues or skips the occurrences that the old rule named before an edit and that no worker has claimed. Otherwise they
 * would be lost, because the new rule names nothing before the edit. Returns the number of runs that were queued.
 */
export async function queueOrSkipOverdue(
  tx: Transaction,
  schedule: LockedSchedule,
  { next, plan, version }: Redefinition,
): Promise<number> {
  const { status, occurrenceAt, nowAt } = schedule;
  if (next?.occurrenceAt === occurrenceAt) return 0;
  if (status === 'active') return queueOverdue(tx, schedule, { plan, version });
  const passed = status === 'paused' ? (passedInPause(schedule, nowAt) ?? overtakenByEdit(schedule)) : null;
  if (passed) await accountFor(tx, [{ schedule, stretch: passed }], nowAt);
  return 0;
}

/**
 * The occurrences of the old rule that are past at the time of the edit, but not due yet because of jitter or a
 * reschedule. The new rule does not name them, so they are skipped with the reason `overtaken`.
 */
function overtakenByEdit({ timing, occurrenceAt, nowAt }: LockedSchedule): Stretch | null {
  if (occurrenceAt === null || occurrenceAt > nowAt) return null;
  const reason = 'jitter or a reschedule had delayed it, and the schedule was edited before it was due';
  return stretchFrom(timing, { fromAt: occurrenceAt, untilAt: nowAt, reasonCode: 'overtaken', reason });
}

/** Maximum number of overdue runs that an edit queues. Beyond it, the misfire policy `all` is treated like `once`. */
const MAX_CATCH_UP = 1_000;

const asOnce = (due: DueSchedule): DueSchedule => ({
  ...due,
  plan: { ...due.plan, misfire: { ...due.plan.misfire, policy: 'once', graceMs: -1 } },
});

/**
 * Queues the occurrences that were due before the edit and that no worker has claimed. The old rule named them, but
 * they run under the new definition. Returns the number of runs that were queued.
 */
async function queueOverdue(
  tx: Transaction,
  schedule: LockedSchedule,
  { version, plan }: { version: number; plan: Plan },
): Promise<number> {
  const { id: scheduleId, projectId, occurrenceAt, dueAt, nowAt } = schedule;
  let pending = occurrenceAt === null || dueAt === null ? null : { occurrenceAt, dueAt };
  const runs: UnstartedRun[] = [];
  while (pending && pending.dueAt <= nowAt) {
    const due = { ...schedule, ...pending, runsTotal: schedule.runsTotal + runs.length };
    const decision = decideDue(runs.length < MAX_CATCH_UP ? due : asOnce(due), nowAt);
    if (decision.kind === 'broken') break;
    if (decision.passed) await accountFor(tx, [{ schedule, stretch: decision.passed }], nowAt);
    if (decision.run) {
      const startsAt = isCounted(plan) ? Number.POSITIVE_INFINITY : nowAt;
      const reasons = { reasonCode: null, reason: null };
      runs.push({
        scheduleId,
        projectId,
        version,
        handler: handlerOf(plan),
        origin: 'rule',
        ...decision.run,
        status: 'queued',
        startsAt,
        ...reasons,
      });
    }
    pending = decision.next;
  }
  await insertUnstartedRuns(tx, runs, nowAt);
  const overtaken = pending && overtakenByEdit({ ...schedule, ...pending });
  if (overtaken) await accountFor(tx, [{ schedule, stretch: overtaken }], nowAt);
  return runs.length;
}
