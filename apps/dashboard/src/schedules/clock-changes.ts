import { DAY_MS, offsetAt } from '../format/time.js';

/** For a longer range no changes are listed: the changes of many years would hide the occurrences. */
const MAX_SPAN_MS = 400 * DAY_MS;

export interface ClockChange {
  at: number;
  /** How far the clocks move; negative if they go back. */
  byMs: number;
}

/** The instants in [fromAt, toAt) at which the clocks of a zone change. */
export function clockChanges(fromAt: number, toAt: number, zone: string): ClockChange[] {
  if (toAt - fromAt > MAX_SPAN_MS) return [];
  const changes: ClockChange[] = [];
  for (let at = fromAt; at < toAt; at += DAY_MS) {
    const until = Math.min(at + DAY_MS, toAt);
    const byMs = offsetAt(until, zone) - offsetAt(at, zone);
    if (byMs !== 0) changes.push({ at: findChange(at, until, zone), byMs });
  }
  return changes;
}

/** Finds the change in a range by bisection: the first second that has the same offset as `toAt`. */
function findChange(fromAt: number, toAt: number, zone: string): number {
  const offset = offsetAt(toAt, zone);
  let before = Math.floor(fromAt / 1_000);
  let after = Math.ceil(toAt / 1_000);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle * 1_000, zone) === offset) after = middle;
    else before = middle;
  }
  return after * 1_000;
}
