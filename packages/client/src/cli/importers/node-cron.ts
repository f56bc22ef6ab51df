import { formatDuration } from '@carillon/shared';
import { collectDrafts, type ImportResult, type ReadItem } from './collect-drafts.js';
import { noEquivalent } from './no-equivalent.js';
import { asFields, asNumber, asText, type Fields } from './read-fields.js';

/** A call of `cron.schedule`, from a list or from a source file. */
export interface NodeCronTask {
  source: string;
  fields: Fields;
}

/**
 * Turns tasks of node-cron into schedules. The function that a task calls is not imported: it stays in the user's
 * program, and a handler or a webhook has to call it.
 */
export function importNodeCron(tasks: readonly NodeCronTask[], { timezone = 'UTC' } = {}): ImportResult {
  return collectDrafts('node-cron', tasks, {
    sourceOf: ({ source }) => source,
    read: ({ fields }) => readTask(fields, timezone),
  });
}

function readTask(fields: Fields, defaultZone: string): ReadItem {
  const cron = asText(fields.expression) ?? asText(fields.cron) ?? asText(fields.schedule);
  const job = asText(fields.name) ?? 'task';
  if (cron === null) return { job, rule: '', reason: 'has no `expression`' };
  if (restrictsBothDays(cron)) {
    const reason =
      'has no equivalent: node-cron fires if the day of the month and the weekday both match, and cron of Carillon if either does; write an RRULE with BYMONTHDAY and BYDAY';
    return { job, rule: cron, reason };
  }
  const options = { ...fields, ...asFields(fields.options) };
  const timezone = asText(options.timezone);
  const maxRandomDelay = asNumber(options.maxRandomDelay) ?? 0;
  return {
    job,
    rule: cron,
    remarks: [
      ...(timezone === null
        ? [
            `has no time zone, so the rule is read in ${defaultZone}; node-cron uses the time zone of the machine`,
          ]
        : []),
      ...(options.scheduled === false
        ? [noEquivalent('scheduled: false', 'pause the schedule after the import')]
        : []),
      ...(options.runOnInit === true
        ? [noEquivalent('runOnInit', 'use `carillon schedules trigger` once')]
        : []),
    ],
    schedule: {
      rule: { cron },
      timezone: timezone ?? defaultZone,
      overlap: options.noOverlap === true ? 'skip' : 'allow',
      maxRuns: asNumber(options.maxExecutions),
      jitter: maxRandomDelay > 0 ? formatDuration(maxRandomDelay) : null,
      misfire: { policy: options.recoverMissedExecutions === true ? 'all' : 'skip' },
      payload: fields.payload ?? null,
    },
  };
}

/** True if the pattern restricts both the day of the month and the weekday. */
function restrictsBothDays(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  const [days = '*', , weekdays = '*'] = fields.slice(-3);
  return ![days, weekdays].some((field) => field.startsWith('*') || field === '?');
}
