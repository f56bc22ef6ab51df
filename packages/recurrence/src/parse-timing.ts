import { LAST_YEAR } from './calendar/civil-date.js';
import { parseInstant } from './calendar/instant-text.js';
import { splitCronZone } from './cron/cron-pattern.js';
import { MAX_BUSINESS_DAY } from './excluded/business-days.js';
import { isCalendarName, parseExclusion } from './excluded/exclusions.js';
import { movingProblem } from './excluded/moving-problem.js';
import { firstOccurrence } from './occurrences.js';
import { type Problem, shorten } from './parse-result.js';
import { parseRule } from './parse-rule.js';
import { RuleTooCostly } from './step-budget.js';
import {
  DEFAULT_DST,
  type DstPolicy,
  defaultLeapDay,
  type ExcludedPolicy,
  excludedDates,
  type LeapDayPolicy,
  type RuleInput,
  type Timing,
} from './timing.js';
import { timingWarnings } from './words/timing-warnings.js';
import { canonicalTimeZone, timeZoneProblem } from './zone/time-zone-name.js';

/**
 * The JSON form of a timing. It may come from a queue and not only from a validated request, so `parseTiming` checks
 * the type of every field.
 */
export interface TimingInput {
  rule: RuleInput;
  timezone?: string | null | undefined;
  startAt?: string | null | undefined;
  endAt?: string | null | undefined;
  dst?: { gap?: DstPolicy['gap'] | undefined; overlap?: DstPolicy['overlap'] | undefined } | null | undefined;
  leapDay?: LeapDayPolicy | null | undefined;
  exclusions?: readonly string[] | null | undefined;
  /** Names of calendars, in addition to those in `exclusions`. */
  calendars?: readonly string[] | null | undefined;
  onExcluded?: ExcludedPolicy | null | undefined;
  businessDays?: readonly number[] | null | undefined;
}

export type ParsedTiming =
  | { ok: true; timing: Timing; warnings: string[] }
  | { ok: false; problems: Problem[] };

type Report = (field: string, ...messages: string[]) => void;

const MAX_EXCLUSIONS = 1000;
/** Maximum number of excluded dates, including the dates of all named calendars, which are copied into the timing. */
const MAX_EXCLUDED_DATES = 10_000;

/** The calendars that exclusions may name: for each name, its dates and weekdays. */
export type Calendars = ReadonlyMap<string, readonly string[]>;

/** Parses a timing. The result lists every problem at once, or the timing with warnings about likely mistakes. */
export function parseTiming(
  input: TimingInput,
  { anchorAt, calendars = new Map() }: { anchorAt: number; calendars?: Calendars },
): ParsedTiming {
  const problems: Problem[] = [];
  const report: Report = (field, ...messages) => {
    problems.push(...messages.map((message) => ({ field, message })));
  };
  const timezone = parseZone(input, report);
  const dst = parseDst(input.dst, report);
  const startAt = parseBound('startAt', input, timezone, report);
  const endAt = parseBound('endAt', input, timezone, report);
  if (startAt !== null && endAt !== null && endAt < startAt)
    report('endAt', 'is before startAt; expected a later time');
  if (!['feb28', 'mar1', 'skip'].includes(input.leapDay ?? 'skip'))
    report('leapDay', 'expected feb28, mar1 or skip');
  const excluded = parseExclusions(input, calendars, report);
  const onExcluded = input.onExcluded ?? 'skip';
  if (!['skip', 'next', 'previous'].includes(onExcluded))
    report('onExcluded', 'expected skip, next or previous');
  const businessDays = parseBusinessDays(input.businessDays, excluded, report);
  const rule = parseRule(input.rule, { anchorAt, timezone, dst });
  if (!rule.ok) problems.push(...rule.problems);
  if (!rule.ok || problems.length > 0) return { ok: false, problems };

  const leapDay = input.leapDay ?? defaultLeapDay(rule.value.kind);
  const timing = {
    rule: rule.value,
    timezone,
    startAt,
    endAt,
    dst,
    leapDay,
    ...excluded,
    onExcluded,
    businessDays,
    settledAts: [],
    anchorAt,
  };
  const moving = movingProblem(timing);
  if (moving !== null) return { ok: false, problems: [{ field: 'onExcluded', message: moving }] };
  const problem = evaluationProblem(timing);
  if (problem !== null) return { ok: false, problems: [{ field: rule.field, message: problem }] };
  return { ok: true, timing, warnings: timingWarnings(timing, input) };
}

/** Says why a timing cannot be accepted although each of its fields is valid, or returns null. */
function evaluationProblem(timing: Timing): string | null {
  try {
    return firstOccurrence(timing) === null ? `this rule never fires: ${reasonForNever(timing)}` : null;
  } catch (error) {
    if (error instanceof RuleTooCostly) return error.message;
    throw error;
  }
}

/** If the time zone is invalid, the rest is still parsed, in UTC, so that one response lists all problems. */
function parseZone({ timezone, rule }: TimingInput, report: Report): string {
  const name: unknown = timezone ?? zoneOfRule(rule) ?? 'UTC';
  const problem = typeof name === 'string' ? timeZoneProblem(name) : 'expected the name of a time zone';
  if (problem) report('timezone', problem);
  return (typeof name === 'string' ? canonicalTimeZone(name) : null) ?? 'UTC';
}

/** The time zone that the rule names itself: the TZID of DTSTART, or a prefix such as CRON_TZ=Europe/Berlin. */
function zoneOfRule(rule: RuleInput): string | null {
  if (typeof rule !== 'object' || rule === null) return null;
  if ('cron' in rule && typeof rule.cron === 'string') {
    return canonicalTimeZone(splitCronZone(rule.cron).zone ?? '');
  }
  const text: unknown = 'rrule' in rule ? rule.rrule : null;
  if (typeof text !== 'string') return null;
  const zone = /(?:^|\n)DTSTART[^:\n]*;TZID="?([^:;"\n]+)/i.exec(text.slice(0, 1000))?.[1] ?? '';
  return canonicalTimeZone(zone);
}

function parseDst(given: TimingInput['dst'], report: Report): DstPolicy {
  const gap = given?.gap ?? DEFAULT_DST.gap;
  const overlap = given?.overlap ?? DEFAULT_DST.overlap;
  if (!['shift', 'skip'].includes(gap)) report('dst.gap', 'expected shift or skip');
  if (!['first', 'second', 'both'].includes(overlap)) report('dst.overlap', 'expected first, second or both');
  return { gap, overlap };
}

function parseBound(
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

function parseExclusions(
  { exclusions: given, calendars: named }: TimingInput,
  known: Calendars,
  report: Report,
): Pick<Timing, 'exclusions' | 'calendars'> {
  const excluded: Pick<Timing, 'exclusions' | 'calendars'> = { exclusions: [], calendars: {} };
  for (const [field, list] of Object.entries({ exclusions: given, calendars: named })) {
    if (list === undefined || list === null || Array.isArray(list)) continue;
    report(field, field === 'calendars' ? 'expected a list of names' : 'expected a list of dates');
    return excluded;
  }
  const fields = new Map<string, string>();
  for (const [index, text] of (given ?? []).entries()) fields.set(text, `exclusions.${index}`);
  for (const [index, text] of (named ?? []).entries())
    if (!fields.has(text)) fields.set(text, `calendars.${index}`);
  const entries = [...fields.keys()].sort();
  if (entries.length > MAX_EXCLUSIONS) {
    report(
      'exclusions',
      `has ${entries.length} entries; expected at most ${MAX_EXCLUSIONS}: join neighbouring dates into ranges`,
    );
    return excluded;
  }
  for (const text of entries) addExclusion(excluded, { text, field: fields.get(text) ?? '', known, report });
  const dateCount = excludedDates(excluded).length;
  if (dateCount > MAX_EXCLUDED_DATES) {
    report(
      'exclusions',
      `name ${dateCount} dates with their calendars; expected at most ${MAX_EXCLUDED_DATES}`,
    );
  }
  return excluded;
}

function addExclusion(
  excluded: Pick<Timing, 'exclusions' | 'calendars'>,
  { text, field, known, report }: { text: string; field: string; known: Calendars; report: Report },
): void {
  if (isCalendarName(text)) {
    const dates = known.get(text);
    if (dates) excluded.calendars[text] = [...dates];
    else report(field, `there is no calendar named ${text}; create it first`);
  } else if (field.startsWith('calendars')) {
    report(field, `"${shorten(String(text))}" is not the name of a calendar; list dates in exclusions`);
  } else {
    const range = parseExclusion(String(text));
    if (range.ok) excluded.exclusions.push(text);
    else report(field, ...range.messages);
  }
}

function parseBusinessDays(
  given: TimingInput['businessDays'],
  excluded: Pick<Timing, 'exclusions' | 'calendars'>,
  report: Report,
): number[] {
  const numbers = given ?? [];
  const isNumber = (n: unknown) =>
    Number.isInteger(n) && n !== 0 && Math.abs(n as number) <= MAX_BUSINESS_DAY;
  if (!Array.isArray(numbers) || numbers.length > MAX_BUSINESS_DAY || !numbers.every(isNumber)) {
    report(
      'businessDays',
      `expected numbers such as 3 (the third) or -1 (the last), up to ${MAX_BUSINESS_DAY}`,
    );
    return [];
  }
  if (numbers.length > 0 && excludedDates(excluded).length === 0)
    report(
      'businessDays',
      'needs a calendar that says which days are no business days; name it in calendars',
    );
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Finds out why a rule never fires, by leaving out one restriction after the other until it fires. */
function reasonForNever(timing: Timing): string {
  const { rule, startAt, endAt } = timing;
  const hasExclusions = excludedDates(timing).length > 0;
  const firesWith = (change: Partial<Timing>) => firstOccurrence({ ...timing, ...change }) !== null;
  const unexcluded = { exclusions: [], calendars: {} };
  const unrestricted = { endAt: null, ...unexcluded };
  if (timing.businessDays.length > 0 && firesWith({ businessDays: [] }))
    return 'no occurrence falls on one of the businessDays';
  if (endAt !== null && firesWith({ endAt: null })) return 'its first occurrence is after endAt';
  if (hasExclusions && firesWith(unexcluded)) return 'every occurrence is excluded';
  if (endAt !== null && hasExclusions && firesWith(unrestricted))
    return 'no occurrence is left before endAt and outside the exclusions';
  if (rule.kind === 'at') return 'it is before startAt';
  if (startAt !== null && firesWith({ ...unrestricted, startAt: null }))
    return 'its last occurrence is before startAt';
  if (rule.kind === 'rrule' && firesWith({ ...unrestricted, startAt: null, anchorAt: 0 }))
    return 'its last occurrence is past';
  return `no date and time up to ${LAST_YEAR} match it`;
}
