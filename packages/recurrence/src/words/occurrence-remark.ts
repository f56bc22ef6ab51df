import { civilDate, DAY_SECONDS, isLeapYear } from '../calendar/civil-date.js';
import { dateText } from '../calendar/wall-time.js';
import { leapDaySubstitute } from '../cron/cron-days.js';
import { movedFromDay, nextOccurrence } from '../occurrences.js';
import type { Timing } from '../timing.js';
import { zoneNamed } from '../zone/zone.js';
import { dstRemark } from './dst-remark.js';

/**
 * Says that an occurrence was moved from an excluded day, that it replaces 29 February, or how a DST change affects it.
 * Null for nearly all occurrences.
 */
export function occurrenceRemark(timing: Timing, at: number): string | null {
  const fromDay = movedFromDay(timing, at);
  if (fromDay !== null) return `moved from ${dateText(fromDay)}, which is excluded`;
  return leapDayRemark(timing, at) ?? dstRemark(timing, at);
}

/**
 * An occurrence replaces 29 February if the rule names it only because of its leap day policy. So the same rule with
 * the policy `skip` must not name it.
 */
function leapDayRemark(timing: Timing, at: number): string | null {
  const substitute = leapDaySubstitute(timing.leapDay);
  const { kind } = timing.rule;
  if (substitute === null || kind === 'at' || kind === 'every') return null;
  const sec = Math.floor(at / 1000);
  const { year, month, day } = civilDate(Math.floor(zoneNamed(timing.timezone).readingAt(sec) / DAY_SECONDS));
  if (month !== substitute.month || day !== substitute.day || isLeapYear(year)) return null;
  const isNamedAnyway = nextOccurrence({ ...timing, leapDay: 'skip' }, at - 1) === at;
  return isNamedAnyway ? null : `in place of 29 February, which ${year} does not have`;
}
