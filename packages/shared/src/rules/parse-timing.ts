import { LAST_YEAR } from './calendar.js';
import { isCalendarName, parseExclusion } from './exclusions.js';
import { parseInstant } from './instant-text.js';
import { firstOccurrence } from './occurrences.js';
import { parseRule } from './parse-rule.js';
import type { Problem } from './parsed.js';
import {
  DEFAULT_DST,
  DEFAULT_LEAP_DAY,
  type DstPolicy,
  excludedDates,
  type LeapDayPolicy,
  type Rule,
  type Timing,
} from './timing.js';
import { timingWarnings } from './timing-warnings.js';
import { canonicalTimeZone, timeZoneProblem } from './zone.js';

/** The API's JSON. It may come from a queue as well, so nothing about it is taken for granted. */
export interface TimingInput {
  rule: Rule;
  timezone?: string | null | undefined;
  startAt?: string | null | undefined;
  endAt?: string | null | undefined;
  dst?: { gap?: DstPolicy['gap'] | undefined; overlap?: DstPolicy['overlap'] | undefined } | null | undefined;
  leapDay?: LeapDayPolicy | null | undefined;
  exclusions?: readonly string[] | null | undefined;
}

export type ParsedTiming =
  | { ok: true; timing: Timing; warnings: string[] }
  | { ok: false; problems: Problem[] };

type Report = (field: string, ...messages: string[]) => void;

const MAX_EXCLUSIONS = 1000;

/** The calendars that exclusions may name, with their dates. */
export type Calendars = ReadonlyMap<string, readonly string[]>;

export function parseTiming(
  input: TimingInput,
  { anchorAt, calendars = new Map() }: { anchorAt: number; calendars?: Calendars },
): ParsedTiming {
  const problems: Problem[] = [];
  const report: Report = (field, ...messages) => {
    problems.push(...messages.map((message) => ({ field, message })));
  };
  const timezone = readZone(input, report);
  const dst = readDst(input.dst, report);
  const startAt = readBound('startAt', input, timezone, report);
  const endAt = readBound('endAt', input, timezone, report);
  if (startAt !== null && endAt !== null && endAt < startAt)
    report('endAt', 'is before startAt; expected it later');
  const leapDay = input.leapDay ?? DEFAULT_LEAP_DAY;
  if (!['feb28', 'mar1', 'skip'].includes(leapDay)) report('leapDay', 'expected feb28, mar1 or skip');
  const excluded = readExclusions(input.exclusions, calendars, report);
  const rule = parseRule(input.rule, { anchorAt, timezone, dst });
  if (!rule.ok) problems.push(...rule.problems);
  if (!rule.ok || problems.length > 0) return { ok: false, problems };

  const timing = { rule: rule.value, timezone, startAt, endAt, dst, leapDay, ...excluded, anchorAt };
  if (firstOccurrence(timing) === null) {
    return {
      ok: false,
      problems: [{ field: rule.field, message: `this rule never fires: ${whyNever(timing)}` }],
    };
  }
  return { ok: true, timing, warnings: timingWarnings(timing, input.timezone ?? null) };
}

/** Where the zone is wrong the rest is still read, in UTC, so that one answer names all that is wrong. */
function readZone({ timezone, rule }: TimingInput, report: Report): string {
  const name: unknown = timezone ?? zoneInRule(rule) ?? 'UTC';
  const problem = typeof name === 'string' ? timeZoneProblem(name) : 'expected the name of a time zone';
  if (problem) report('timezone', problem);
  return (typeof name === 'string' ? canonicalTimeZone(name) : null) ?? 'UTC';
}

/** A rule that brings its own zone needs no other. */
function zoneInRule(rule: Rule): string | null {
  const text: unknown = typeof rule === 'object' && rule !== null && 'rrule' in rule ? rule.rrule : null;
  if (typeof text !== 'string') return null;
  const zone = /(?:^|\n)DTSTART[^:\n]*;TZID="?([^:;"\n]+)/i.exec(text.slice(0, 1000))?.[1] ?? '';
  return canonicalTimeZone(zone);
}

function readDst(given: TimingInput['dst'], report: Report): DstPolicy {
  const gap = given?.gap ?? DEFAULT_DST.gap;
  const overlap = given?.overlap ?? DEFAULT_DST.overlap;
  if (!['shift', 'skip'].includes(gap)) report('dst.gap', 'expected shift or skip');
  if (!['first', 'second', 'both'].includes(overlap)) report('dst.overlap', 'expected first, second or both');
  return { gap, overlap };
}

function readBound(
  field: 'startAt' | 'endAt',
  input: TimingInput,
  timezone: string,
  report: Report,
): number | null {
  const text = input[field] ?? null;
  if (text === null) return null;
  const instant = parseInstant(text, timezone, DEFAULT_DST);
  if (instant.ok) return instant.value.at;
  report(field, ...instant.messages);
  return null;
}

function readExclusions(
  given: TimingInput['exclusions'],
  known: Calendars,
  report: Report,
): Pick<Timing, 'exclusions' | 'calendars'> {
  const excluded: Pick<Timing, 'exclusions' | 'calendars'> = { exclusions: [], calendars: {} };
  if (given !== undefined && given !== null && !Array.isArray(given)) {
    report('exclusions', 'expected a list of dates');
    return excluded;
  }
  const entries = [...new Set(given ?? [])].sort();
  if (entries.length > MAX_EXCLUSIONS) {
    report(
      'exclusions',
      `has ${entries.length} entries; expected at most ${MAX_EXCLUSIONS}, joined into ranges`,
    );
    return excluded;
  }
  for (const text of entries) {
    const field = `exclusions.${given?.indexOf(text)}`;
    if (isCalendarName(text)) {
      const dates = known.get(text);
      if (dates) excluded.calendars[text] = [...dates];
      else report(field, `there is no calendar named ${text}; make it with PUT /v1/calendars/${text}`);
      continue;
    }
    const range = parseExclusion(String(text));
    if (range.ok) excluded.exclusions.push(text);
    else report(field, ...range.messages);
  }
  return excluded;
}

/** Leave out one restriction after the other and see whether the rule comes alive. */
function whyNever(timing: Timing): string {
  const { rule, startAt, endAt } = timing;
  const hasExclusions = excludedDates(timing).length > 0;
  const fires = (change: Partial<Timing>) => firstOccurrence({ ...timing, ...change }) !== null;
  const freely = { exclusions: [], calendars: {} };
  const open = { endAt: null, ...freely };
  if (endAt !== null && fires({ endAt: null })) return 'its first occurrence is after endAt';
  if (hasExclusions && fires(freely)) return 'every occurrence is excluded';
  if (endAt !== null && hasExclusions && fires(open)) return 'endAt and the exclusions leave nothing';
  if (rule.kind === 'at') return 'it is before startAt';
  if (startAt !== null && fires({ ...open, startAt: null })) return 'its last occurrence is before startAt';
  if (rule.kind === 'rrule' && fires({ ...open, startAt: null, anchorAt: 0 }))
    return 'its last occurrence is past';
  return `no date and time up to ${LAST_YEAR} match it`;
}
