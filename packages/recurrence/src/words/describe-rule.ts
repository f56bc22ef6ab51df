import { civilDate, DAY_SECONDS } from '../calendar/civil-date.js';
import { timeText } from '../calendar/wall-time.js';
import { excludedDates, type Timing } from '../timing.js';
import { zoneNamed } from '../zone/zone.js';
import { cronWords } from './cron-words.js';
import { joinInWords, MONTHS, position } from './phrases.js';
import { recurrenceWords } from './rrule-words.js';

/** A rule in words, with its time zone: "at 09:00 on weekdays, New York time". */
export function describeRule(timing: Timing): string {
  return `${ruleWords(timing)}${businessDayWords(timing)}${movedWords(timing)}`;
}

function businessDayWords({ businessDays }: Timing): string {
  if (businessDays.length === 0) return '';
  const first = businessDays.filter((n) => n > 0);
  const last = businessDays.filter((n) => n < 0).sort((a, b) => b - a);
  return `, only on the ${joinInWords([...first, ...last].map(position))} business day of a month`;
}

function movedWords(timing: Timing): string {
  if (timing.onExcluded === 'skip' || excludedDates(timing).length === 0) return '';
  return `, moved to the ${timing.onExcluded} business day if excluded`;
}

function ruleWords(timing: Timing): string {
  const { rule, timezone } = timing;
  switch (rule.kind) {
    case 'at':
      return `once, ${dayAndTime(rule.at, timezone)}, ${zoneWords(timezone)}`;
    case 'every':
      return `every ${durationWords(rule.everyMs)}`;
    case 'cron':
      return `${cronWords(rule.cron, timing.leapDay)}, ${zoneWords(timezone)}`;
    case 'rrule': {
      const { text, zone } = recurrenceWords(rule.rrule, timing);
      return `${text}, ${zoneWords(zone)}`;
    }
  }
}

function zoneWords(timezone: string): string {
  if (timezone === 'UTC' || !timezone.includes('/')) return timezone;
  if (timezone.startsWith('Etc/')) return `${timezone} time`;
  return `${(timezone.split('/').at(-1) ?? timezone).replaceAll('_', ' ')} time`;
}

function dayAndTime(at: number, timezone: string): string {
  const reading = zoneNamed(timezone).readingAt(Math.floor(at / 1000));
  const { year, month, day } = civilDate(Math.floor(reading / DAY_SECONDS));
  return `at ${timeText(reading)} on ${day} ${MONTHS[month - 1]} ${year}`;
}

function durationWords(durationMs: number): string {
  const units = [
    ['week', 604_800_000],
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
    ['millisecond', 1],
  ] as const;
  // A duration is given in one unit if possible: 90 minutes, and not an hour and 30 minutes.
  for (const [unit, unitMs] of units) {
    const amount = durationMs / unitMs;
    if (Number.isInteger(amount) && amount < 100) return amount === 1 ? unit : `${amount} ${unit}s`;
  }
  const parts: string[] = [];
  let restMs = durationMs;
  for (const [unit, unitMs] of units) {
    const amount = Math.floor(restMs / unitMs);
    if (amount > 0) parts.push(`${amount} ${unit}${amount === 1 ? '' : 's'}`);
    restMs -= amount * unitMs;
  }
  return joinInWords(parts);
}
