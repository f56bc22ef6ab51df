import { isSetTag, SCHEDULE_DEFAULTS } from '@carillon/shared';
import type { Schedule, ScheduleInput } from '../../types/schedule.js';
import { escapeReferences } from './fill-references.js';

/** Defaults of fields that `SCHEDULE_DEFAULTS` does not list. */
const MORE_DEFAULTS = { calendars: [], onExcluded: 'skip', businessDays: [], slo: null } as const;
/**
 * Fields that are always written. `rule` has no default, and the defaults of `retry` and `target` depend on the
 * installation or the project.
 */
const ALWAYS = new Set(['rule', 'retry', 'target']);
const FIELDS = [
  ...['name', 'tags', 'rule', 'timezone', 'startAt', 'endAt', 'maxRuns', 'jitter', 'dst', 'leapDay'],
  ...['exclusions', 'calendars', 'onExcluded', 'businessDays', 'misfire', 'overlap', 'maxConcurrentRuns'],
  ...[
    'dependsOn',
    'retry',
    'timeout',
    'pauseAfterFailures',
    'onSuccess',
    'onFailure',
    'slo',
    'target',
    'payload',
  ],
] as const;

/**
 * Returns a schedule as an entry of a schedule file. Fields that hold their default are left out. Values of headers are
 * redacted; the API keeps the stored values when it receives the redacted ones.
 */
export function entryOfSchedule(schedule: Schedule): ScheduleInput & { id: string } {
  const shown: Record<string, unknown> = {
    ...schedule,
    tags: schedule.tags.filter((tag) => !isSetTag(tag)),
    exclusions: schedule.exclusions.filter((name) => !schedule.calendars.includes(name)),
    onSuccess: escapeReferences(schedule.onSuccess),
    onFailure: escapeReferences(schedule.onFailure),
    target: Object.fromEntries(
      Object.entries(escapeReferences(schedule.target)).filter(
        ([name, value]) => value !== null && !(name === 'headers' && isEmpty(value)),
      ),
    ),
  };
  const defaults: Record<string, unknown> = {
    ...SCHEDULE_DEFAULTS,
    ...MORE_DEFAULTS,
    leapDay: schedule.rule.cron === undefined ? 'feb28' : 'skip',
  };
  const isWritten = (field: string) =>
    ALWAYS.has(field) || JSON.stringify(shown[field]) !== JSON.stringify(defaults[field]);
  const fields = FIELDS.filter(isWritten).map((field) => [field, shown[field]]);
  return { id: schedule.id, ...Object.fromEntries(fields) };
}

const isEmpty = (value: unknown) => Object.keys(value as object).length === 0;
