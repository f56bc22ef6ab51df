import { shorten } from '../parse-result.js';
import { canonicalTimeZone } from '../zone/time-zone-name.js';
import type { CronField } from './cron-field.js';

/**
 * Recognises common text that is not a cron pattern, and says what to write instead. Returns null for anything else.
 */
export function patternHint(text: string): string | null {
  const every = /^@every\s+(\S.*)$/i.exec(text);
  if (every) return `@every is not a cron pattern; use the rule ${everyRule(every[1] ?? '')}`;
  if (/^@reboot$/i.test(text)) return '@reboot names no time; let the program that starts do the work';
  const rate = /^rate\(\s*(\d{1,9})\s+(minute|hour|day)s?\s*\)$/i.exec(text);
  if (rate) {
    return `rate(…) is the syntax of AWS EventBridge; use the rule ${everyRule(`${rate[1]}${rate[2]?.charAt(0)}`)}`;
  }
  const aws = /^(cron|rate|at)\(([^)]*)\)?$/i.exec(text);
  if (aws?.[1]?.toLowerCase() === 'cron') {
    const fields = (aws[2] ?? '').trim().split(/\s+/).slice(0, 5).join(' ');
    return `cron(…) is the syntax of AWS EventBridge; write the fields alone, without the year and with names for weekdays: ${shorten(fields)}`;
  }
  if (aws?.[1]?.toLowerCase() === 'at') {
    return `at(…) is the syntax of AWS EventBridge; use the rule { "at": "${shorten(aws[2] ?? '')}" }`;
  }
  if (aws) return 'rate(…) is the syntax of AWS EventBridge; use the rule { "every": "PT5M" }';
  if (/^P(?:T?\d)/i.test(text)) {
    return `${shorten(text)} is a duration; use the rule { "every": "${shorten(text.toUpperCase())}" }`;
  }
  return /^\d{4}-\d\d-\d\d/.test(text) ? dateHint(text) : null;
}

/** The time zone at the end of a pattern, as the Ruby library fugit writes it, or null. */
export function trailingZone(text: string): string | null {
  const last = /\s([A-Za-z_]+\/[A-Za-z_/]{3,60})$/.exec(text)?.[1] ?? '';
  return canonicalTimeZone(last);
}

/** A rule in JSON for a duration such as `1h30m`. Falls back to an example if the duration is not understood. */
function everyRule(duration: string): string {
  const match = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/i.exec(duration.trim());
  const [, days, hours, minutes, seconds] = match ?? [];
  const date = days ? `${days}D` : '';
  const time = `${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${seconds ? `${seconds}S` : ''}`;
  const iso = date || time ? `P${date}${time ? `T${time}` : ''}` : 'PT5M';
  return `{ "every": "${iso}" }`;
}

function dateHint(text: string): string {
  return `${shorten(text)} is a date; to fire once use the rule { "at": "2026-03-29T09:00:00Z" }, and for bounds use startAt and endAt`;
}

/** Recognises a common list item that cron does not know, and says what to write instead. Returns null for others. */
export function itemHint(item: string, field: Omit<CronField, 'position'>): string | null {
  if (/^H(?:\(|\/|$)/.test(item)) {
    return `H is the hashed value of Jenkins, which is not supported; write a number of ${field.min}-${field.max}`;
  }
  if (/^\/\d/.test(item)) return `a step needs a range before it; write *${item}`;
  if (/^\d{4}-\d\d-\d\d/.test(item)) return dateHint(item);
  if (/^\d+~\d*$|^~/.test(item)) return 'random values are not supported; write a number';
  if (field.name === 'hour' && item === '24') return 'expected 0-23; midnight is 0';
  const longName = field.names?.find(
    (name) => item.length > 3 && /^[A-Z]+$/.test(item) && item.startsWith(name),
  );
  if (longName) return `write ${longName}`;
  if (field.name === 'day of month') return monthDayHint(item);
  if (/^L(?:-|$)/.test(item)) return 'L counts from the end of the month; write it in the day of month field';
  return /^-\d/.test(item) ? `negative values are not supported; expected ${field.min}-${field.max}` : null;
}

function monthDayHint(item: string): string | null {
  const negative = /^-(\d{1,2})$/.exec(item);
  if (negative) {
    const daysBefore = Number(negative[1]) - 1;
    return `days do not count from the end with a minus; write ${daysBefore > 0 ? `L-${daysBefore}` : 'L'}`;
  }
  const toLast = /^(\d{1,2})-L(\/\d+)?$/.exec(item);
  if (toLast) {
    const range = `${toLast[1]}-31${toLast[2] ?? ''}`;
    return `a range cannot end in L; write ${range}, which leaves out days that a month lacks`;
  }
  if (/^L-/.test(item)) return 'L-n is n days before the last day of the month; expected L-0 to L-30';
  return item === 'LAST' ? 'write L' : null;
}
