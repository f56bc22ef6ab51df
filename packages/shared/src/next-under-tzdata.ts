import { lastOccurrence, nextOccurrence, resolveWallTime, type Timing } from '@carillon/recurrence';
import { type DueOccurrence, dueOccurrenceOf } from './decide-due.js';
import type { Plan } from './plan.js';

export interface ScheduleUnderTzdata {
  key: string;
  timing: Timing;
  plan: Plan;
  occurrenceAt: number;
  dueAt: number;
}

/**
 * Computes the pending occurrence again with the time zone data of this process; null if it stays the same. If the rule
 * no longer names the instant of the occurrence, the occurrence moves to the nearest instant after now that the rule
 * names. The nearest instant is usually the same occurrence at its new time. So no occurrence is repeated. The pending
 * occurrence is left out only if its new time is past already.
 */
export function nextUnderTzdata(
  { key, timing, plan, occurrenceAt, dueAt }: ScheduleUnderTzdata,
  nowAt: number,
): { timing: Timing; next: DueOccurrence } | null {
  // An occurrence that is due already stays, and so does an occurrence that a person has rescheduled.
  if (occurrenceAt <= nowAt || dueAt !== dueOccurrenceOf(key, plan, occurrenceAt).dueAt) return null;
  const { rule } = timing;
  if (rule.kind === 'every') return null;
  if (rule.kind === 'at') {
    const at = rule.wallTime === null ? rule.at : resolveWallTime(rule.wallTime, timing);
    if (at === null || at === rule.at) return null;
    const resolved = { ...timing, rule: { ...rule, at } };
    const namedAt = nextOccurrence(resolved, at - 1);
    return namedAt === null ? null : { timing: resolved, next: dueOccurrenceOf(key, plan, namedAt) };
  }
  const before = lastOccurrence(timing, nowAt, occurrenceAt);
  if (before === occurrenceAt) return null;
  const after = nextOccurrence(timing, occurrenceAt);
  const isBeforeNearer = before !== null && (after === null || occurrenceAt - before <= after - occurrenceAt);
  const at = isBeforeNearer ? before : after;
  return at === null ? null : { timing, next: dueOccurrenceOf(key, plan, at) };
}
