import { setOfSchedule } from '../../schedule-set.js';
import type { Schedule } from '../../types/schedule.js';
import type { Occurrence } from '../../types/time.js';
import { command, type Output } from '../command.js';
import { ruleText, sloText, targetText } from '../in-words.js';
import { LIST_OPTIONS, moreNote, pageQuery, readList } from '../list-options.js';
import { readCount } from '../schedule-options.js';
import { type Cell, fields, table } from '../table.js';
import { lookOf, type Terminal } from '../terminal.js';
import { shortTime, timeFromNow } from '../times.js';

export const showSchedule = command({
  name: 'show',
  summary: 'Show a schedule and its next occurrences',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: {},
  examples: ['carillon schedules show standup', 'carillon schedules show standup --json | jq .retry'],
  async run({ positionals, client, terminal }): Promise<Output> {
    const [id = ''] = positionals;
    const [schedule, next] = await Promise.all([
      client.schedules.get(id),
      client.schedules.occurrences(id, { limit: 3 }).page(),
    ]);
    const parts = [fields(fieldsOf(schedule, next.text, Date.now()), terminal.style)];
    if (next.items.length > 0) parts.push(occurrenceTable(next.items, terminal));
    return { json: schedule, text: parts.join('\n\n') };
  },
});

export const nextOccurrences = command({
  name: 'next',
  summary: 'List the next occurrences of a schedule, in local time',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: {
    limit: { type: 'string', short: 'n', value: '<count>', about: 'number of occurrences (default 10)' },
  },
  examples: ['carillon schedules next standup -n 5'],
  async run({ values, positionals, client, terminal }): Promise<Output> {
    const [id = ''] = positionals;
    const next = await client.schedules
      .occurrences(id, { limit: readCount(values.limit, 'limit') ?? 10 })
      .page();
    const text = next.items.length === 0 ? 'No further occurrences.' : occurrenceTable(next.items, terminal);
    return { json: next, text: `${next.text}\n\n${text}` };
  },
});

export const showVersions = command({
  name: 'versions',
  summary: 'List the definitions that a schedule has had, newest first',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: LIST_OPTIONS,
  examples: ['carillon schedules versions standup'],
  async run({ values, positionals, client, terminal }): Promise<Output> {
    const [id = ''] = positionals;
    const versions = await readList(client.schedules.versions(id, pageQuery(values)), values);
    const rows = versions.items.map((held) => [
      String(held.version),
      shortTime(held.definedAt),
      held.definedBy,
      ruleText(held.rule),
      held.timezone,
      targetText(held.target),
    ]);
    const titles = ['VERSION', 'SINCE', 'BY', 'RULE', 'ZONE', 'TARGET'];
    return { json: versions, text: table(titles, rows, terminal), notes: moreNote(versions) };
  },
});

function occurrenceTable(items: readonly Occurrence[], terminal: Terminal): string {
  const rows = items.map(({ at, local, dueAt, remark }) => [
    shortTime(local),
    timeFromNow(dueAt, Date.now()),
    [dueAt === at ? '' : 'rescheduled or delayed by jitter', remark ?? ''].filter(Boolean).join('; '),
  ]);
  return table(['OCCURRENCE', 'DUE', 'REMARK'], rows, terminal);
}

function fieldsOf(schedule: Schedule, inWords: string, nowAt: number): [string, Cell | null][] {
  const { status, pause, retry, misfire, dependsOn, payload } = schedule;
  const set = setOfSchedule(schedule);
  return [
    ['id', schedule.id],
    ['name', schedule.name],
    ['tags', schedule.tags.join(', ')],
    ['managed by', set && `set ${set}`],
    ['status', { text: status, look: lookOf(status) }],
    ['paused', pause && pauseText(pause)],
    ['rule', `${ruleText(schedule.rule)}  (${inWords})`],
    ['time zone', schedule.timezone],
    ['starts', schedule.startAt && shortTime(schedule.startAt)],
    ['ends', schedule.endAt && shortTime(schedule.endAt)],
    ['target', targetText(schedule.target)],
    ['payload', payload === null ? null : JSON.stringify(payload)],
    [
      'retries',
      `${retry.maxAttempts} attempts, first after ${retry.baseDelay}, time-out ${schedule.timeout}`,
    ],
    ['missed', `${misfire.policy}, after ${misfire.grace}`],
    ['overlap', schedule.overlap],
    ['depends on', dependsOn && `${dependsOn.schedule} within ${dependsOn.within}`],
    ['objectives', schedule.slo && sloText(schedule.slo)],
    ['next run', timeFromNow(schedule.nextRunAt, nowAt)],
    ['last run', timeFromNow(schedule.lastRunAt, nowAt)],
    ['runs', `${schedule.runsTotal}${schedule.maxRuns === null ? '' : ` of ${schedule.maxRuns}`}`],
    ['version', `${schedule.version}, changed ${shortTime(schedule.updatedAt)}`],
  ];
}

export function pauseText({ at, until, by, note }: NonNullable<Schedule['pause']>): string {
  const parts = [`by ${by ?? 'an unknown key'}`];
  if (at !== null) parts.push(`at ${shortTime(at)}`);
  if (until !== null) parts.push(`until ${shortTime(until)}`);
  if (note !== null) parts.push(`note: ${note}`);
  return parts.join(', ');
}
