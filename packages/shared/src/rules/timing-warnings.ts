import { DAY_SECONDS } from './calendar.js';
import { type CronPattern, parseCron } from './cron.js';
import { dstRemark, gapRemark } from './dst-remark.js';
import { nextOccurrence, wallClockOf } from './occurrences.js';
import { parseRecurrenceText } from './rrule.js';
import type { Timing } from './timing.js';
import { BY_THE_CLOCK } from './wall-clock.js';
import { dateText, timeText } from './wall-time.js';

const LOOK_AHEAD_SECONDS = 400 * DAY_SECONDS;

/** What is allowed, but may not be what was meant. `askedZone` is the zone that the caller named, if any. */
export function timingWarnings(timing: Timing, askedZone: string | null): string[] {
  return [...ruleWarnings(timing, askedZone), ...clockWarnings(timing)];
}

function ruleWarnings({ rule, anchorAt, timezone }: Timing, askedZone: string | null): string[] {
  if (rule.kind === 'at') return rule.at < anchorAt ? ['this instant is already past'] : [];
  if (rule.kind === 'cron') {
    const pattern = parseCron(rule.cron);
    return pattern.ok ? cronWarnings(pattern.value) : [];
  }
  if (rule.kind !== 'rrule') return [];
  const recurrence = parseRecurrenceText(rule.rrule);
  if (!recurrence.ok) return [];
  const { start, parts } = recurrence.value;
  const found: string[] = [];
  if (askedZone !== null && start?.zone && start.zone !== timezone) {
    found.push(
      `DTSTART is in ${start.zone}, so the rule repeats by that clock and not by that of ${timezone}`,
    );
  }
  if (parts?.freq === 'MONTHLY' && parts.byMonthDay.length > 0 && parts.byMonthDay.every((day) => day > 28)) {
    found.push(shortMonths(parts.byMonthDay));
  }
  return found;
}

function cronWarnings({ months, monthDays, weekDays }: CronPattern): string[] {
  const found: string[] = [];
  if (!monthDays.star && !weekDays.star) {
    found.push('day of month and day of week are both given: it fires on days that match either');
  }
  const { days, beforeLast, nearestWeekdayTo, lastWorkday } = monthDays;
  const plain = beforeLast.length + nearestWeekdayTo.length === 0 && !lastWorkday;
  if (plain && weekDays.star && months.length === 12 && days.every((day) => day > 28)) {
    found.push(shortMonths(days));
  }
  return found;
}

function shortMonths(days: readonly number[]): string {
  return `months without a day ${Math.min(...days)} are left out; use the last day of the month if that is meant`;
}

/** The changes of clocks in the coming year that swallow times which this rule names. */
function clockWarnings(timing: Timing): string[] {
  if (timing.rule.kind === 'at') {
    const remark = dstRemark(timing, timing.rule.at);
    return remark === null ? [] : [remark];
  }
  const wallClock = wallClockOf(timing);
  if (!wallClock || wallClock.policy === BY_THE_CLOCK) return [];
  const { zone, policy } = wallClock;
  const found: string[] = [];
  const lastSec = Math.floor(timing.anchorAt / 1000) + LOOK_AHEAD_SECONDS;
  for (let sec = Math.floor(timing.anchorAt / 1000); sec < lastSec; sec = zone.stretchAt(sec).toSec) {
    const missing = wallClock.readingsLostAt(sec);
    const shifted = nextOccurrence(timing, sec * 1000 - 1) === sec * 1000;
    if (!missing || (policy.gap === 'shift' && !shifted)) continue;
    const reading = zone.readingAt(sec);
    const remark = gapRemark(missing, policy.gap === 'shift' ? timeText(reading) : null);
    found.push(`${dateText(Math.floor(reading / DAY_SECONDS))}: ${remark}`);
  }
  return found;
}
