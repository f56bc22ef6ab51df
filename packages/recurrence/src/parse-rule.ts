import { CALENDAR_ENDS_AT, LAST_YEAR } from './calendar/civil-date.js';
import { parseInstant } from './calendar/instant-text.js';
import { cronFields, parseCron, splitCronZone } from './cron/cron-pattern.js';
import { isCalendarDuration, parseDuration } from './duration.js';
import { type Parsed, type Problem, parsed, refused, shorten } from './parse-result.js';
import { contentLines, parseRecurrenceText } from './rrule/rrule-text.js';
import type { DstPolicy, TimingRule } from './timing.js';
import { canonicalTimeZone, timeZoneProblem } from './zone/time-zone-name.js';

interface RuleContext {
  anchorAt: number;
  timezone: string;
  dst: DstPolicy;
}

type ParsedRule = { ok: true; value: TimingRule; field: string } | { ok: false; problems: Problem[] };

const MIN_EVERY_MS = 1000;
const KINDS = ['at', 'in', 'every', 'cron', 'rrule'] as const;
type Kind = (typeof KINDS)[number];

export function parseRule(rule: unknown, context: RuleContext): ParsedRule {
  const given = typeof rule === 'object' && rule !== null ? Object.entries(rule) : [];
  const [entry, ...rest] = given.filter(([, value]) => value !== undefined && value !== null);
  const kind = KINDS.find((known) => known === entry?.[0]);
  if (!entry || !kind || rest.length > 0) {
    const message = `expected exactly one of ${KINDS.join(', ')}`;
    return { ok: false, problems: [{ field: 'rule', message }] };
  }
  const field = `rule.${kind}`;
  const value: unknown = entry[1];
  const result = typeof value === 'string' ? parseKind(kind, value, context) : refused('expected a string');
  if (result.ok) return { ok: true, value: result.value, field };
  return { ok: false, problems: result.messages.map((message) => ({ field, message })) };
}

function parseKind(kind: Kind, text: string, context: RuleContext): Parsed<TimingRule> {
  switch (kind) {
    case 'at':
      return parseAt(text, context);
    case 'in':
      return parseIn(text, context);
    case 'every':
      return parseEvery(text);
    case 'cron':
      return parseCronRule(text, context);
    case 'rrule':
      return parseRecurrence(text);
  }
}

function parseAt(text: string, { timezone, dst }: RuleContext): Parsed<TimingRule> {
  const instant = parseInstant(text, timezone, dst);
  return instant.ok ? parsed({ kind: 'at', ...instant.value }) : instant;
}

function parseIn(text: string, { anchorAt }: RuleContext): Parsed<TimingRule> {
  const durationMs = parseDuration(text);
  if (durationMs === null) {
    const hint = isCalendarDuration(text) ? '; for months and years write the date with "at"' : '';
    return refused(`is "${shorten(text)}"; expected an ISO 8601 duration such as PT15M or P1D${hint}`);
  }
  const at = anchorAt + durationMs;
  if (at > CALENDAR_ENDS_AT) return refused(`ends after ${LAST_YEAR}; expected a shorter duration`);
  return parsed({ kind: 'at', at, wallTime: null });
}

function parseEvery(text: string): Parsed<TimingRule> {
  const everyMs = parseDuration(text);
  if (everyMs === null) {
    const hint = isCalendarDuration(text) ? '; months and years differ in length, use rrule for them' : '';
    return refused(`is "${shorten(text)}"; expected an ISO 8601 duration such as PT15M or P1D${hint}`);
  }
  if (everyMs < MIN_EVERY_MS) return refused(`is ${shorten(text)}; expected at least PT1S`);
  return parsed({ kind: 'every', everyMs });
}

/** The pattern is stored in one spelling (capitals, single spaces), so that equal patterns share a cache entry. */
function parseCronRule(text: string, { timezone }: RuleContext): Parsed<TimingRule> {
  const { zone, pattern } = splitCronZone(text);
  if (zone !== null && canonicalTimeZone(zone) !== timezone) {
    return refused(
      timeZoneProblem(zone) ??
        `begins with the time zone ${zone}, but timezone is ${timezone}; write only one of them`,
    );
  }
  const result = parseCron(pattern);
  if (!result.ok) return result;
  const fields = cronFields(pattern);
  return fields.ok ? parsed({ kind: 'cron', cron: fields.value.join(' ') }) : fields;
}

function parseRecurrence(text: string): Parsed<TimingRule> {
  const recurrence = parseRecurrenceText(text);
  return recurrence.ok ? parsed({ kind: 'rrule', rrule: contentLines(text).join('\n') }) : recurrence;
}
