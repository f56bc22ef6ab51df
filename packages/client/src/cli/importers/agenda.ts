import { formatDuration } from '@carillon/shared';
import type { RuleInput } from '../../types/schedule.js';
import { collectDrafts, type ImportResult, type ReadItem } from './collect-drafts.js';
import { noEquivalent } from './no-equivalent.js';
import { asFields, asInstant, asNumber, asText, type Fields } from './read-fields.js';
import { readHumanInterval } from './read-human-interval.js';

/**
 * Turns jobs of Agenda, exported from its MongoDB collection or its Postgres table, into schedules. Jobs that have
 * ended are left out.
 */
export function importAgenda(jobs: readonly unknown[], { timezone = 'UTC' } = {}): ImportResult {
  const pending = jobs.map((job) => camelCased(asFields(job))).filter(isPending);
  return collectDrafts('agenda', pending, {
    sourceOf: ({ name, id, _id }, index) => `${String(name)} ${idText(_id ?? id) ?? index + 1}`,
    read: (job) => readJob(job, timezone),
  });
}

/**
 * Renames the columns of Agenda's Postgres table to the names of its MongoDB fields: `repeat_interval` to
 * `repeatInterval`.
 */
const camelCased = (job: Fields): Fields =>
  Object.fromEntries(
    Object.entries(job).map(([name, value]) => [
      name.replace(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

const idText = (id: unknown) => asText(id) ?? asText(asFields(id).$oid);

const isPending = ({ nextRunAt, repeatInterval, repeatAt }: Fields) =>
  Boolean(repeatInterval) || Boolean(repeatAt) || asInstant(nextRunAt) !== null;

function readJob(job: Fields, defaultZone: string): ReadItem {
  const name = asText(job.name) ?? 'unnamed';
  const zone = asText(job.repeatTimezone);
  const read = readRule(job);
  const rule = String(job.repeatInterval ?? job.repeatAt ?? asInstant(job.nextRunAt));
  if (typeof read === 'string') return { job: name, rule, reason: read };
  const isCron = read.cron !== undefined;
  return {
    job: name,
    rule,
    remarks: [
      ...(isCron && zone === null
        ? [
            `has no time zone, so the rule is read in ${defaultZone}; Agenda uses the time zone of the machine`,
          ]
        : []),
      ...remarksOf(job),
    ],
    schedule: {
      rule: read,
      timezone: zone ?? defaultZone,
      // An interval starts at the next run of the job, so that its rhythm does not change.
      startAt: read.every === undefined ? asInstant(job.startDate) : asInstant(job.nextRunAt),
      endAt: asInstant(job.endDate),
      overlap: job.type === 'single' ? 'skip' : 'allow',
      payload: job.data ?? null,
    },
  };
}

function readRule({ repeatInterval, repeatAt, nextRunAt }: Fields): RuleInput | string {
  const text = asText(repeatInterval);
  const everyMs = asNumber(repeatInterval) ?? readHumanInterval(text ?? '');
  if (everyMs !== null) return { every: formatDuration(everyMs) };
  if (text !== null && /^\S+(\s+\S+){4,5}$/.test(text.trim())) return { cron: text.trim() };
  if (text !== null)
    return `has no equivalent: the interval "${text}"; write a cron rule or an ISO 8601 duration`;
  const at = asText(repeatAt);
  if (at !== null)
    return dailyCron(at) ?? `has no equivalent: repeatAt "${at}"; expected a time such as 3:30pm`;
  return { at: asInstant(nextRunAt) ?? '' };
}

/** A daily cron rule from a time of day such as `3:30pm` or `15:30`. Null for any other text. */
function dailyCron(text: string): RuleInput | null {
  const [, hour, minute = '0', half] = /^(\d{1,2})(?::(\d{2}))?\s*(am|pm)?$/i.exec(text.trim()) ?? [];
  if (hour === undefined || (half === undefined && !text.includes(':'))) return null;
  const hours =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return { cron: `${Number(minute)} ${hours} * * *` };
}

function remarksOf(job: Fields): string[] {
  const skipDays = Array.isArray(job.skipDays) && job.skipDays.length > 0 ? job.skipDays : null;
  return [
    ...(job.disabled === true ? [noEquivalent('disabled', 'pause the schedule after the import')] : []),
    ...((asNumber(job.priority) ?? 0) === 0
      ? []
      : [noEquivalent(`priority ${String(job.priority)}`, 'runs start in the order in which they are due')]),
    ...(skipDays
      ? [noEquivalent(`skipDays ${skipDays.join()}`, 'name a calendar with these weekdays in `calendars`')]
      : []),
    ...(job.unique ? [noEquivalent('unique', 'the id of a schedule is unique')] : []),
    ...(job.fork === true ? [noEquivalent('fork', 'a handler may be declared with `isolate: true`')] : []),
  ];
}
