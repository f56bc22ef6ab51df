import { DAY_SECONDS } from '../calendar/civil-date.js';
import { dateText, timeText } from '../calendar/wall-time.js';
import { hasOnlyDays, isLeapDayPattern } from '../cron/cron-days.js';
import { type CronPattern, parseCron } from '../cron/cron-pattern.js';
import { nextOccurrence, wallClockOf } from '../occurrences.js';
import type { RecurrenceParts } from '../rrule/rrule-parts.js';
import { parseRecurrenceText } from '../rrule/rrule-text.js';
import type { LeapDayPolicy, Timing } from '../timing.js';
import { EVERY_HOUR_POLICY } from '../zone/wall-clock.js';
import { dstRemark, gapRemark } from './dst-remark.js';

const LOOK_AHEAD_SECONDS = 400 * DAY_SECONDS;

/** The settings that the caller wrote. A default that was filled in is not among them. */
interface Written {
  timezone?: string | null | undefined;
  leapDay?: LeapDayPolicy | null | undefined;
}

/** Warnings about settings that are valid but often not what the author means. */
export function timingWarnings(timing: Timing, written: Written): string[] {
  return [...zoneWarnings(timing), ...ruleWarnings(timing, written), ...gapWarnings(timing)];
}

function zoneWarnings({ timezone, rule }: Timing): string[] {
  const observed = { EST: 'America/New_York', MST: 'America/Denver' }[timezone];
  const usesClock = rule.kind === 'cron' || rule.kind === 'rrule';
  if (observed === undefined || !usesClock) return [];
  return [`${timezone} is standard time all year round; ${observed} has daylight saving time in summer`];
}

function ruleWarnings({ rule, anchorAt, timezone }: Timing, written: Written): string[] {
  switch (rule.kind) {
    case 'at':
      return rule.at < anchorAt ? ['this instant is already past'] : [];
    case 'every':
      return [];
    case 'cron': {
      const pattern = parseCron(rule.cron);
      return pattern.ok ? cronWarnings(rule.cron, pattern.value, written) : [];
    }
    case 'rrule':
      return recurrenceWarnings(rule.rrule, timezone, written);
  }
}

function cronWarnings(cron: string, pattern: CronPattern, { leapDay }: Written): string[] {
  const { months, monthDays, weekDays } = pattern;
  const warnings: string[] = [];
  if (!monthDays.isStar && !weekDays.isStar) {
    warnings.push('day of month and day of week are both given: it fires on days that match either');
  }
  const isShort = hasOnlyDays(monthDays) && monthDays.days.every((day) => day > 28);
  if (isShort && weekDays.isStar && months.length === 12) {
    warnings.push(shortMonthWarning(monthDays.days));
  }
  if (isLeapDayPattern(pattern) && (leapDay ?? null) === null) {
    warnings.push('29 February exists in leap years only; set leapDay to feb28 or mar1 to fire every year');
  }
  const weekdayField = cron.split(' ').at(-1) ?? '';
  const hasNumbers = weekdayField.split(',').some((item) => /^\d/.test(item));
  if (cron.includes('?') && hasNumbers) {
    warnings.push(
      'weekdays count from 0 = Sunday here, but from 1 = Sunday in Quartz and AWS; write names such as MON to be sure',
    );
  }
  return warnings;
}

function recurrenceWarnings(text: string, timezone: string, written: Written): string[] {
  const recurrence = parseRecurrenceText(text);
  if (!recurrence.ok) return [];
  const { start, parts, ignoredParts } = recurrence.value;
  const warnings: string[] = [];
  if ((written.timezone ?? null) !== null && start?.zone && start.zone !== timezone) {
    warnings.push(
      `DTSTART is in ${start.zone}, so the rule repeats by that clock and not by the clock of ${timezone}`,
    );
  }
  if (ignoredParts.length > 0) {
    const names = ignoredParts.join(', ');
    warnings.push(
      `${names} is ignored because DTSTART is a date without a time (RFC 5545, 3.3.10); give DTSTART a time`,
    );
  }
  if (parts) warnings.push(...partWarnings(parts));
  return warnings;
}

function partWarnings(parts: RecurrenceParts): string[] {
  const { freq, byMonth, byMonthDay, byDay, byWeekNo, byYearDay } = parts;
  const warnings: string[] = [];
  if (freq === 'MONTHLY' && byMonthDay.length > 0 && byMonthDay.every((day) => day > 28)) {
    warnings.push(shortMonthWarning(byMonthDay));
  }
  if (
    freq === 'YEARLY' &&
    byMonthDay.length > 0 &&
    byMonth.length + byWeekNo.length + byYearDay.length === 0
  ) {
    warnings.push('FREQ=YEARLY with BYMONTHDAY fires in every month; add BYMONTH to fire once a year');
  }
  const hasPlainDays = byDay.length > 0 && byDay.every(({ n }) => n === null);
  const isEveryWeek = byMonth.length + byWeekNo.length + byYearDay.length + byMonthDay.length === 0;
  if (freq === 'YEARLY' && hasPlainDays && isEveryWeek && parts.bySetPos.length === 0) {
    warnings.push(
      'FREQ=YEARLY with BYDAY fires in every week; add BYMONTH, BYWEEKNO or a number such as 1MO',
    );
  }
  return warnings;
}

function shortMonthWarning(days: readonly number[]): string {
  return `months without a day ${Math.min(...days)} are left out; to fire in every month use the last day of the month`;
}

/**
 * Names each DST gap of the next 400 days that contains a local time of the rule. For a rule `at`, says if its local
 * time does not exist or occurs twice.
 */
function gapWarnings(timing: Timing): string[] {
  if (timing.rule.kind === 'at') {
    const remark = dstRemark(timing, timing.rule.at);
    return remark === null ? [] : [remark];
  }
  const wallClock = wallClockOf(timing);
  if (!wallClock || wallClock.policy === EVERY_HOUR_POLICY) return [];
  const { zone, policy } = wallClock;
  const warnings: string[] = [];
  const lastSec = Math.floor(timing.anchorAt / 1000) + LOOK_AHEAD_SECONDS;
  for (let sec = Math.floor(timing.anchorAt / 1000); sec < lastSec; sec = zone.spanAt(sec).toSec) {
    const skipped = wallClock.readingsSkippedAt(sec);
    const fires = nextOccurrence(timing, sec * 1000 - 1) === sec * 1000;
    if (!skipped || (policy.gap === 'shift' && !fires)) continue;
    const reading = zone.readingAt(sec);
    const remark = gapRemark(skipped, policy.gap === 'shift' ? timeText(reading) : null);
    warnings.push(`${dateText(Math.floor(reading / DAY_SECONDS))}: ${remark}`);
  }
  return warnings;
}
