import { countOccurrences, lastOccurrence } from '@carillon/recurrence';
import { type DueOccurrence, type DueSchedule, decideDue, dueOccurrenceAfter } from './decide-due.js';

/** How many due occurrences a decision of `carillon restore` would run, and how many it would record as skipped. */
export interface LostTimeOutcome {
  run: number;
  skipped: number;
}

interface Followed extends LostTimeOutcome {
  next: DueOccurrence | null;
}

/**
 * Counts how many occurrences of an overdue schedule the engine would run and skip. It applies the decisions of the
 * engine one after the other, until no occurrence is due.
 */
export function followDecisions(schedule: DueSchedule, nowAt: number): LostTimeOutcome {
  const outcome = { run: 0, skipped: 0 };
  let due: DueSchedule | null = schedule;
  while (due && due.dueAt <= nowAt) {
    const { run, skipped, next }: Followed = isRefired(due) ? followRefire(due) : followOne(due, nowAt);
    outcome.run += run;
    outcome.skipped += skipped;
    due = next && { ...due, ...next, runsTotal: due.runsTotal + run };
  }
  return outcome;
}

const isRefired = ({ lostTime, dueAt }: DueSchedule) =>
  lostTime?.mode === 'refire' && dueAt <= lostTime.untilAt;

/**
 * Counts the occurrences of the lost time together instead of one by one, because a schedule that fires each second has
 * tens of thousands of them in a day.
 */
function followRefire(due: DueSchedule): Followed {
  const { timing, plan, occurrenceAt, runsTotal, lostTime } = due;
  const untilAt = lostTime?.untilAt ?? occurrenceAt;
  const named = 1 + countOccurrences(timing, occurrenceAt, untilAt);
  const run = plan.maxRuns === null ? named : Math.min(named, plan.maxRuns - runsTotal);
  const lastAt = lastOccurrence(timing, occurrenceAt, untilAt) ?? occurrenceAt;
  const isLast = plan.maxRuns !== null && runsTotal + run >= plan.maxRuns;
  return { run, skipped: 0, next: isLast ? null : dueOccurrenceAfter(due, lastAt) };
}

function followOne(due: DueSchedule, nowAt: number): Followed {
  const decision = decideDue(due, nowAt);
  if (decision.kind === 'broken') return { run: 0, skipped: 0, next: null };
  return {
    run: decision.run ? 1 : 0,
    skipped: decision.passed?.count ?? 0,
    next: decision.next,
  };
}
