import type { Schedule } from '../../types/schedule.js';
import { command, group, type Output } from '../command.js';
import { ruleText, targetText } from '../in-words.js';
import { LIST_OPTIONS, moreNote, pageQuery, readList } from '../list-options.js';
import { table } from '../table.js';
import { lookOf } from '../terminal.js';
import { timeFromNow } from '../times.js';
import { actOnMany } from './act-on-many.js';
import { createSchedule, putSchedule, updateSchedule } from './edit-schedule.js';
import { FILTER_OPTIONS, readFilter } from './filter-options.js';
import { heartbeat } from './heartbeat.js';
import { backfill, cancel, pause, reschedule, resume, skipNext, trigger } from './schedule-actions.js';
import { nextOccurrences, showSchedule, showVersions } from './show-schedule.js';

const ls = command({
  name: 'ls',
  summary: 'List schedules, newest first',
  usage: '',
  words: { least: 0, most: 0 },
  options: {
    ...FILTER_OPTIONS,
    next: { type: 'boolean', about: 'only schedules with a next run, the soonest first' },
    ...LIST_OPTIONS,
  },
  examples: [
    'carillon schedules ls',
    'carillon schedules ls --status paused --tag billing',
    'carillon schedules ls --next --limit 5',
    'carillon schedules ls --due-before +1h --json | jq -r ".items[].id"',
  ],
  async run({ values, client, terminal }): Promise<Output> {
    const nowAt = Date.now();
    const order = values.next ? 'next' : undefined;
    const list = client.schedules.list({ ...readFilter(values, nowAt), order, ...pageQuery(values) });
    const schedules = await readList(list, values);
    const rows = schedules.items.map((schedule) => rowOf(schedule, nowAt));
    const text =
      rows.length === 0
        ? 'No schedules.'
        : table(['ID', 'STATUS', 'NEXT', 'RULE', 'ZONE', 'TARGET'], rows, terminal);
    return { json: schedules, text, notes: moreNote(schedules) };
  },
});

const rowOf = ({ id, status, nextRunAt, rule, timezone, target }: Schedule, nowAt: number) => [
  id,
  { text: status, look: lookOf(status) },
  timeFromNow(nextRunAt, nowAt),
  ruleText(rule),
  timezone,
  targetText(target),
];

export const schedules = group({
  name: 'schedules',
  summary: 'List, show, create, edit, pause and cancel schedules',
  commands: [
    ls,
    showSchedule,
    createSchedule,
    putSchedule,
    updateSchedule,
    pause,
    resume,
    trigger,
    reschedule,
    skipNext,
    backfill,
    cancel,
    nextOccurrences,
    showVersions,
    heartbeat,
    actOnMany,
  ],
  examples: [
    'carillon schedules ls',
    'carillon schedules create --id standup --cron "0 9 * * 1-5" --tz America/New_York --target https://example.com/hook',
    'carillon schedules pause standup --note "public holiday" --until 2026-12-27T00:00:00Z',
  ],
});
