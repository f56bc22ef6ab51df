import {
  countOccurrences,
  jitterMs,
  lastOccurrence,
  nextOccurrence,
  type Timing,
  UnusableRule,
} from '@carillon/recurrence';
import type { LostTime } from './lost-time.js';
import type { Plan } from './plan.js';

/** A schedule whose next occurrence is due. */
export interface DueSchedule {
  key: string;
  timing: Timing;
  plan: Plan;
  occurrenceAt: number;
  dueAt: number;
  runsTotal: number;
  /**
   * The operator's decision about the lost time (the time whose transactions a restore or a failover has lost); null if
   * there is none.
   */
  lostTime?: LostTime | null;
}

/** Occurrences that were not run, all for the same reason; both ends included. */
export interface Stretch {
  fromAt: number;
  toAt: number;
  count: number;
  reasonCode:
    | 'misfire'
    | 'overtaken'
    | 'paused'
    | 'skipped_by_request'
    | 'schedule_cancelled'
    | 'schedule_finished'
    | 'restored';
  reason: string;
}

export interface DueOccurrence {
  occurrenceAt: number;
  dueAt: number;
}

export type Decision =
  /**
   * Start `run`, and record the occurrences `passed` as not run; each of the two may be null. Then move the schedule on
   * to `next`, or finish the schedule if `next` is null.
   */
  | { kind: 'move'; run: DueOccurrence | null; passed: Stretch | null; next: DueOccurrence | null }
  /** The rule can no longer be evaluated, so the schedule pauses with this reason. */
  | { kind: 'broken'; reason: string };

/** Decides by the misfire policy what happens at `nowAt` to a schedule that is due. */
export function decideDue(schedule: DueSchedule, nowAt: number): Decision {
  try {
    const { run, passed, after } = decideStep(schedule, nowAt);
    const isLast =
      run !== null && schedule.plan.maxRuns !== null && schedule.runsTotal + 1 >= schedule.plan.maxRuns;
    return { kind: 'move', run, passed, next: isLast ? null : dueOccurrenceAfter(schedule, after) };
  } catch (error) {
    return { kind: 'broken', reason: `the rule could not be evaluated: ${(error as Error).message}` };
  }
}

/** The next occurrence strictly after an instant, and when it falls due. */
export function dueOccurrenceAfter(
  { key, timing, plan }: Pick<DueSchedule, 'key' | 'timing' | 'plan'>,
  afterAt: number,
) {
  const occurrenceAt = nextOccurrence(timing, afterAt);
  return occurrenceAt === null ? null : dueOccurrenceOf(key, plan, occurrenceAt);
}

export function dueOccurrenceOf(
  key: string,
  plan: Pick<Plan, 'jitterMs'>,
  occurrenceAt: number,
): DueOccurrence {
  return {
    occurrenceAt,
    dueAt: occurrenceAt + (plan.jitterMs > 0 ? jitterMs(key, occurrenceAt, plan.jitterMs) : 0),
  };
}

interface Step {
  run: DueOccurrence | null;
  passed: Stretch | null;
  /** The schedule moves on to the first occurrence after this instant. */
  after: number;
}

function decideStep(schedule: DueSchedule, nowAt: number): Step {
  const { lostTime, dueAt, plan } = schedule;
  // Occurrences that fell due in the lost time follow the operator's decision, later ones the misfire policy.
  if (lostTime && dueAt <= lostTime.untilAt) return decideLost(schedule, lostTime);
  return nowAt - dueAt > plan.misfire.graceMs ? decideLate(schedule, nowAt) : decideOnTime(schedule);
}

function decideLost({ timing, occurrenceAt, dueAt }: DueSchedule, lostTime: LostTime): Step {
  if (lostTime.mode === 'refire') return { run: { occurrenceAt, dueAt }, passed: null, after: occurrenceAt };
  const { reason } = lostTime;
  const passed = stretchFrom(timing, {
    fromAt: occurrenceAt,
    untilAt: lostTime.untilAt,
    reasonCode: 'restored',
    reason,
  });
  return { run: null, passed, after: passed.toAt };
}

function decideOnTime({ timing, plan, occurrenceAt, dueAt }: DueSchedule): Step {
  const run = { occurrenceAt, dueAt };
  // A reschedule may have moved this occurrence past later ones. The later ones are recorded as overtaken, not as
  // missed.
  const wasRescheduled = dueAt > occurrenceAt + plan.jitterMs;
  if (!wasRescheduled) return { run, passed: null, after: occurrenceAt };
  return { run, passed: stretchAfter(timing, occurrenceAt, dueAt), after: dueAt };
}

function stretchAfter(timing: Timing, afterAt: number, untilAt: number): Stretch | null {
  const fromAt = nextOccurrence(timing, afterAt);
  if (fromAt === null || fromAt > untilAt) return null;
  return {
    fromAt,
    toAt: lastOccurrence(timing, afterAt, untilAt) ?? fromAt,
    count: countOccurrences(timing, afterAt, untilAt),
    reasonCode: 'overtaken',
    reason: 'the occurrence before it was rescheduled to a later time',
  };
}

function decideLate(schedule: DueSchedule, nowAt: number): Step {
  const { timing, plan, occurrenceAt, dueAt } = schedule;
  switch (plan.misfire.policy) {
    case 'once': {
      const latestAt = lastOccurrence(timing, occurrenceAt, nowAt) ?? occurrenceAt;
      if (latestAt === occurrenceAt)
        return { run: { occurrenceAt, dueAt }, passed: null, after: occurrenceAt };
      return {
        run: { occurrenceAt: latestAt, dueAt: latestAt },
        passed: missedBefore(timing, occurrenceAt, latestAt, 'missed; the latest missed one was run instead'),
        after: latestAt,
      };
    }
    case 'skip': {
      const untilAt = nowAt - plan.misfire.graceMs;
      const latestAt = lastOccurrence(timing, occurrenceAt, untilAt) ?? occurrenceAt;
      return {
        run: null,
        passed: missedBefore(timing, occurrenceAt, latestAt + 1, 'missed; skipped by policy'),
        after: latestAt,
      };
    }
    case 'all': {
      const oldestKeptAt = oldestOfLatest(timing, occurrenceAt, nowAt, plan.misfire.limit);
      if (oldestKeptAt === occurrenceAt)
        return { run: { occurrenceAt, dueAt }, passed: null, after: occurrenceAt };
      return {
        run: { occurrenceAt: oldestKeptAt, dueAt: oldestKeptAt },
        passed: missedBefore(
          timing,
          occurrenceAt,
          oldestKeptAt,
          `missed; more than the ${plan.misfire.limit} that policy runs`,
        ),
        after: oldestKeptAt,
      };
    }
  }
}

/** The missed occurrences from `fromAt` (included) to `beforeAt` (excluded). */
function missedBefore(timing: Timing, fromAt: number, beforeAt: number, reason: string): Stretch {
  return stretchFrom(timing, { fromAt, untilAt: beforeAt - 1, reasonCode: 'misfire', reason });
}

/**
 * The stretch of occurrences from `fromAt` (included) until an instant. If the rule can no longer be evaluated, only
 * `fromAt` is known.
 */
export function stretchFrom(
  timing: Timing,
  { fromAt, untilAt, ...why }: Pick<Stretch, 'fromAt' | 'reasonCode' | 'reason'> & { untilAt: number },
): Stretch {
  try {
    const toAt = lastOccurrence(timing, fromAt, untilAt) ?? fromAt;
    return { fromAt, toAt, count: 1 + countOccurrences(timing, fromAt, toAt), ...why };
  } catch (error) {
    if (error instanceof UnusableRule) return { fromAt, toAt: fromAt, count: 1, ...why };
    throw error;
  }
}

/**
 * The first occurrence that runs under the misfire policy `all`, which runs the latest `limit` occurrences from
 * `fromAt` until now.
 */
function oldestOfLatest(timing: Timing, fromAt: number, nowAt: number, limit: number): number {
  if (1 + countOccurrences(timing, fromAt, nowAt) <= limit) return fromAt;
  let oldestAt = nowAt + 1;
  for (let kept = 0; kept < limit; kept++) oldestAt = lastOccurrence(timing, fromAt, oldestAt - 1) ?? fromAt;
  return oldestAt;
}
