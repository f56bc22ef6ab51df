import { dateText } from '../calendar/wall-time.js';
import { movedFromDay } from '../occurrences.js';
import type { Timing } from '../timing.js';
import { dstRemark } from './dst-remark.js';

/**
 * Says that an occurrence was moved from an excluded day, or how a DST change affects it. Null for nearly all
 * occurrences.
 */
export function occurrenceRemark(timing: Timing, at: number): string | null {
  const fromDay = movedFromDay(timing, at);
  if (fromDay === null) return dstRemark(timing, at);
  return `moved from ${dateText(fromDay)}, which is excluded`;
}
