import { CALENDAR_ENDS_AT, LAST_YEAR } from './calendar.js';
import { parseExclusion } from './exclusions.js';
import { parseInstant } from './instant-text.js';
import { firstOccurrence } from './occurrences.js';
import { parseRule } from './parse-rule.js';
import {
  DEFAULT_DST,
  DEFAULT_LEAP_DAY,
  type DstPolicy,
  type LeapDayPolicy,
  type Rule,
  type Timing,
} from './timing.js';
import { timingWarnings } from './timing-warnings.js';
import { canonicalTimeZone, timeZoneProblem } from './zone.js';

/** The API's JSON. Nothing is trusted: it may come from a queue as well. */
export interface TimingInput {
  rule: Rule;
  timezone?: string | null | undefined;
  startAt?: string | null | undefined;
  endAt?: string | null | undefined;
  dst?: { gap?: DstPolicy['gap'] | undefined; overlap?: DstPolicy['overlap'] | undefined } | null | undefined;
  leapDay?: LeapDayPolicy | null | undefined;
  exclusions?: readonly string[] | null | undefined;
}

export interface Problem {
  field: string;
  message: string;
}

export type ParsedTiming =
  | { ok: true; timing: Timing; warnings: string[] }
  | { ok: false; problems: Problem[] };

const MAX_EXCLUSIONS = 1000;

export function parseTiming(input: TimingInput, { anchorAt }: { anchorAt: number }): ParsedTiming {
  const problems: Problem[] = [];
  const report = (field: string, messages: string[]) =>
    problems.push(...messages.map((message) => ({ field, message })));

  const zoneText = input.timezone ?? zoneInRule(input.rule) ?? 'UTC';
  const zoneTrouble =
    typeof zoneText === 'string' ? timeZoneProblem(zoneText) : 'expected the name of a time zone';
  if (zoneTrouble) report('timezone', [zoneTrouble]);
  // Where the zone is wrong the rest is still worth reading, in UTC: one answer then names all that is wrong.
  const timezone = (zoneTrouble ? null : canonicalTimeZone(zoneText)) ?? 'UTC';

  const dst = { ...DEFAULT_DST, ...withoutNulls(input.dst) };
  if (!['shift', 'skip'].includes(dst.gap)) report('dst.gap', ['expected shift or skip']);
  if (!['first', 'second', 'both'].includes(dst.overlap))
    report('dst.overlap', ['expected first, second or both']);
  const leapDay = input.leapDay ?? DEFAULT_LEAP_DAY;
  if (!['feb28', 'mar1', 'skip'].includes(leapDay)) report('leapDay', ['expected feb28, mar1 or skip']);

  const readBound = (field: 'startAt' | 'endAt'): number | null => {
    const text = input[field] ?? null;
    if (text === null) return null;
    const instant = parseInstant(text, timezone, { gap: 'shift', overlap: 'first' });
    if (instant.ok) return instant.value.at;
    report(field, instant.messages);
    return null;
  };
  const startAt = readBound('startAt');
  const endAt = readBound('endAt');
  if (startAt !== null && endAt !== null && endAt < startAt)
    report('endAt', ['is before startAt; expected it later']);

  const exclusions = [...new Set(input.exclusions ?? [])];
  if (exclusions.length > MAX_EXCLUSIONS) {
    report('exclusions', [
      `has ${exclusions.length} entries; expected at most ${MAX_EXCLUSIONS}, joined into ranges`,
    ]);
  } else {
    exclusions.forEach((text, i) => {
      const range = parseExclusion(String(text));
      if (!range.ok) report(`exclusions.${i}`, range.messages);
    });
  }

  const rule = parseRule(input.rule, { anchorAt, timezone, dst });
  if (!rule.ok) problems.push(...rule.problems);
  if (!rule.ok || problems.length > 0) return { ok: false, problems };

  const timing: Timing = {
    rule: rule.value,
    timezone,
    startAt,
    endAt,
    dst,
    leapDay,
    exclusions: exclusions.sort(),
    anchorAt,
  };
  if (firstOccurrence(timing) === null) {
    return { ok: false, problems: [{ field: rule.field, message: whyNever(timing) }] };
  }
  return { ok: true, timing, warnings: timingWarnings(timing, input.timezone ?? null) };
}

/** A rule that brings its own zone needs no other. */
function zoneInRule(rule: Rule): string | null {
  if (typeof rule !== 'object' || rule === null || !('rrule' in rule) || typeof rule.rrule !== 'string')
    return null;
  return /(?:^|\n)DTSTART[^:\n]*;TZID="?([^:;"\n]+)/i.exec(rule.rrule.slice(0, 500))?.[1] ?? null;
}

/** The nearest reason wins: leave one restriction out at a time and see whether the rule comes alive. */
function whyNever(timing: Timing): string {
  const never = 'this rule never fires';
  const fires = (change: Partial<Timing>) => firstOccurrence({ ...timing, ...change }) !== null;
  const open = { startAt: timing.startAt, endAt: null, exclusions: [] as string[] };
  if (timing.endAt !== null && fires({ endAt: null })) return `${never}: its first occurrence is after endAt`;
  if (timing.exclusions.length > 0 && fires({ exclusions: [] }))
    return `${never}: every occurrence is excluded`;
  if (timing.rule.kind === 'at' && timing.rule.at < (timing.startAt ?? 0))
    return `${never}: it is before startAt`;
  if (fires(open)) return `${never}: between them, endAt and the exclusions leave nothing`;
  if (fires({ ...open, startAt: null, anchorAt: 0 })) return `${never}: its last occurrence is already past`;
  if (timing.anchorAt > CALENDAR_ENDS_AT) return `${never}: the calendar ends with ${LAST_YEAR}`;
  return `${never}: no date and time up to ${LAST_YEAR} match it`;
}

function withoutNulls<T extends object>(value: T | null | undefined): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(value ?? {}).filter(
    ([, setting]) => setting !== null && setting !== undefined,
  );
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
