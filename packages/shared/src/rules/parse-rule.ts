import { CALENDAR_ENDS_AT, LAST_YEAR } from './calendar.js';
import { cronFields, parseCron } from './cron.js';
import { isCalendarDuration, parseDuration } from './duration.js';
import { parseInstant } from './instant-text.js';
import { type Parsed, type Problem, parsed, refused, shown } from './parsed.js';
import { contentLines, parseRecurrenceText } from './rrule.js';
import type { DstPolicy, TimingRule } from './timing.js';

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
  const result = typeof value === 'string' ? readRule(kind, value, context) : refused('expected a text');
  if (result.ok) return { ok: true, value: result.value, field };
  return { ok: false, problems: result.messages.map((message) => ({ field, message })) };
}

function readRule(kind: Kind, text: string, context: RuleContext): Parsed<TimingRule> {
  switch (kind) {
    case 'at':
      return readAt(text, context);
    case 'in':
      return readIn(text, context);
    case 'every':
      return readEvery(text);
    case 'cron':
      return readCron(text);
    case 'rrule':
      return readRecurrence(text);
  }
}

function readAt(text: string, { timezone, dst }: RuleContext): Parsed<TimingRule> {
  const instant = parseInstant(text, timezone, dst);
  return instant.ok ? parsed({ kind: 'at', ...instant.value }) : instant;
}

function readIn(text: string, { anchorAt }: RuleContext): Parsed<TimingRule> {
  const durationMs = parseDuration(text);
  if (durationMs === null) {
    const hint = isCalendarDuration(text) ? '; for months and years say the date with "at"' : '';
    return refused(`is "${shown(text)}"; expected an ISO 8601 duration such as PT15M or P1D${hint}`);
  }
  const at = anchorAt + durationMs;
  if (at > CALENDAR_ENDS_AT) return refused(`leads past ${LAST_YEAR}; expected a shorter duration`);
  return parsed({ kind: 'at', at, wallTime: null });
}

function readEvery(text: string): Parsed<TimingRule> {
  const everyMs = parseDuration(text);
  if (everyMs === null) {
    const hint = isCalendarDuration(text) ? '; months and years differ in length, use rrule for them' : '';
    return refused(`is "${shown(text)}"; expected an ISO 8601 duration such as PT15M or P1D${hint}`);
  }
  if (everyMs < MIN_EVERY_MS) return refused(`is ${shown(text)}; expected at least PT1S`);
  return parsed({ kind: 'every', everyMs });
}

// Fields in capitals, one blank between them: one spelling, one memo.
function readCron(text: string): Parsed<TimingRule> {
  const pattern = parseCron(text);
  if (!pattern.ok) return pattern;
  const fields = cronFields(text);
  return fields.ok ? parsed({ kind: 'cron', cron: fields.value.join(' ') }) : fields;
}

function readRecurrence(text: string): Parsed<TimingRule> {
  const recurrence = parseRecurrenceText(text);
  return recurrence.ok ? parsed({ kind: 'rrule', rrule: contentLines(text).join('\n') }) : recurrence;
}
