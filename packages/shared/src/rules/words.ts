import { civilDate, DAY_SECONDS } from './calendar.js';
import { cronWords } from './cron-words.js';
import { listed, MONTHS } from './phrases.js';
import { recurrenceWords } from './rrule-words.js';
import type { Timing } from './timing.js';
import { timeText } from './wall-time.js';
import { zoneNamed } from './zone.js';

/** The rule in words, zone and all: "at 09:00 on weekdays, New York time". */
export function describeRule(timing: Timing): string {
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
  // One unit where that comes out even, 90 minutes rather than an hour and 30 minutes.
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
  return listed(parts);
}
