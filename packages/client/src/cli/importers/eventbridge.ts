import { formatDuration } from '@carillon/shared';
import type { RuleInput } from '../../types/schedule.js';
import { collectDrafts, type ImportResult, type ReadItem } from './collect-drafts.js';
import { convertEventbridgeCron } from './eventbridge-cron.js';
import { noEquivalent } from './no-equivalent.js';
import { asFields, asInstant, asNumber, asText, type Fields } from './read-fields.js';

const UNITS_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const MAX_ATTEMPTS = 100;

/** Turns answers of EventBridge Scheduler's GetSchedule into schedules. */
export function importEventbridge(answers: readonly unknown[]): ImportResult {
  const schedules = answers.flatMap(unpack).map(asFields);
  return collectDrafts('eventbridge', schedules, { sourceOf: nameOf, read: readSchedule });
}

/** GetSchedule answers with one schedule, and ListSchedules with `{ "Schedules": [...] }`. */
function unpack(answer: unknown): unknown[] {
  if (Array.isArray(answer)) return answer.flatMap(unpack);
  const { Schedules } = asFields(answer);
  return Array.isArray(Schedules) ? Schedules : [answer];
}

function nameOf({ GroupName, Name }: Fields): string {
  const group = asText(GroupName);
  return `${group === null || group === 'default' ? '' : `${group}/`}${asText(Name) ?? 'unnamed'}`;
}

interface Rule {
  rule: RuleInput;
  startAt?: string | null;
  endAt?: string | null;
}

function readSchedule(schedule: Fields): ReadItem {
  const job = nameOf(schedule);
  const expression = asText(schedule.ScheduleExpression);
  if (expression === null) {
    const reason =
      'has no ScheduleExpression; ListSchedules leaves it out, so export each schedule with GetSchedule';
    return { job, rule: '', reason };
  }
  const read = readExpression(expression);
  if (typeof read === 'string') return { job, rule: expression, reason: read };
  const target = asFields(schedule.Target);
  const { Mode, MaximumWindowInMinutes } = asFields(schedule.FlexibleTimeWindow);
  const windowMinutes = Mode === 'FLEXIBLE' ? asNumber(MaximumWindowInMinutes) : null;
  const retries = asNumber(asFields(target.RetryPolicy).MaximumRetryAttempts);
  return {
    job,
    rule: expression,
    remarks: remarksOf(schedule, target, windowMinutes),
    schedule: {
      rule: read.rule,
      timezone: asText(schedule.ScheduleExpressionTimezone) ?? 'UTC',
      startAt: asInstant(schedule.StartDate) ?? read.startAt ?? null,
      endAt: asInstant(schedule.EndDate) ?? read.endAt ?? null,
      jitter: windowMinutes === null ? null : `PT${windowMinutes}M`,
      ...(retries === null ? {} : { retry: { maxAttempts: Math.min(MAX_ATTEMPTS, retries + 1) } }),
      payload: readInput(asText(target.Input)),
    },
  };
}

function readExpression(expression: string): Rule | string {
  const [, kind, inside = ''] = /^(cron|rate|at)\((.*)\)$/.exec(expression.trim()) ?? [];
  if (kind === 'at') return { rule: { at: inside.trim() } };
  if (kind === 'cron') {
    const converted = convertEventbridgeCron(inside);
    if (typeof converted === 'string') return converted;
    const { cron, startAt, endAt } = converted;
    return { rule: { cron }, startAt, endAt };
  }
  const [, count, unit = ''] =
    /^(\d+)\s+(minute|hour|day)s?$/.exec(kind === 'rate' ? inside.trim() : '') ?? [];
  if (count === undefined) return 'expected cron(…), rate(…) or at(…)';
  return { rule: { every: formatDuration(Number(count) * (UNITS_MS[unit] ?? 0)) } };
}

function readInput(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

function remarksOf(schedule: Fields, target: Fields, windowMinutes: number | null): string[] {
  const { MaximumEventAgeInSeconds, MaximumRetryAttempts } = asFields(target.RetryPolicy);
  const arn = asText(target.Arn);
  const hasManyRetries = (asNumber(MaximumRetryAttempts) ?? 0) >= MAX_ATTEMPTS;
  return [
    ...(arn === null ? [] : [noEquivalent(`target ${arn}`, 'deliveries go to --target')]),
    ...(windowMinutes === null
      ? []
      : [
          `the flexible window of ${windowMinutes} minutes becomes a jitter, which is the same for one occurrence on every replica`,
        ]),
    ...(schedule.State === 'DISABLED'
      ? [noEquivalent('State DISABLED', 'pause the schedule after the import')]
      : []),
    ...(hasManyRetries
      ? [noEquivalent(`${String(MaximumRetryAttempts)} retries`, `at most ${MAX_ATTEMPTS} attempts`)]
      : []),
    ...(MaximumEventAgeInSeconds === undefined
      ? []
      : [noEquivalent('MaximumEventAgeInSeconds', 'retries end after `retry.maxAttempts`')]),
    ...(target.DeadLetterConfig === undefined
      ? []
      : [noEquivalent('DeadLetterConfig', 'failed runs stay in Carillon, see `carillon runs dead`')]),
    ...(schedule.ActionAfterCompletion === 'DELETE'
      ? [noEquivalent('ActionAfterCompletion DELETE', 'a schedule that has ended stays as finished')]
      : []),
    ...(asText(schedule.ScheduleExpression)?.startsWith('rate') && schedule.StartDate === undefined
      ? ['the rate counts from the import, because the schedule has no StartDate']
      : []),
  ];
}
