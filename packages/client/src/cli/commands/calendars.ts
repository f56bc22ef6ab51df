import { readFileSync } from 'node:fs';
import type { Calendar, CalendarInput, ChangedCalendar } from '../../types/calendar.js';
import { command, group, type Output } from '../command.js';
import { deleteCommand, listCommand, showCommand } from '../resource-commands.js';
import { readDuration, shortTime } from '../times.js';

const WEEKEND = {
  type: 'string',
  value: '<weekday>',
  multiple: true,
  about: 'weekday on which nothing fires, such as saturday',
} as const;

const set = command({
  name: 'set',
  summary: 'Create a calendar, or replace its dates',
  details: 'Dates are days (2026-12-25) or ranges (2026-12-31/2027-01-01).',
  usage: '<name> [<date>…]',
  words: { least: 1, most: 1_001 },
  options: { weekend: WEEKEND },
  examples: [
    'carillon calendars set holidays 2026-12-25 2026-12-31/2027-01-01',
    'carillon calendars set office --weekend saturday --weekend sunday',
  ],
  async run({ positionals: [name = '', ...dates], values, client }): Promise<Output> {
    const weekends = values.weekend as CalendarInput['weekends'];
    return changed(await client.calendars.set(name, { dates, weekends }));
  },
});

const importIcs = command({
  name: 'import',
  summary: 'Import holidays from an .ics file or its address',
  details: 'An address is fetched by a worker, now and at the interval of --refresh.',
  usage: '<name> <file|url>',
  words: { least: 2, most: 2 },
  options: {
    refresh: { type: 'string', value: '<duration>', about: 'how often to fetch the address (default P1D)' },
    weekend: WEEKEND,
  },
  examples: ['carillon calendars import holidays https://example.com/holidays.ics --refresh P7D'],
  async run({ positionals: [name = '', source = ''], values, client }): Promise<Output> {
    const weekends = values.weekend as CalendarInput['weekends'];
    const isUrl = /^https?:\/\//i.test(source);
    const refresh = values.refresh === undefined ? undefined : readDuration(values.refresh);
    const from = isUrl ? { url: source, refresh } : { ics: readFileSync(source, 'utf8') };
    return changed(await client.calendars.import(name, { ...from, weekends }));
  },
});

function changed(calendar: ChangedCalendar): Output {
  const { name, dates, source, retiming } = calendar;
  const held = source && source.refreshedAt === null ? 'will be fetched' : `holds ${dates.length} dates`;
  return { json: calendar, text: `${name} ${held}; ${retiming} schedules are re-timed` };
}

export const calendars = group({
  name: 'calendars',
  summary: 'Manage calendars: named dates on which nothing fires',
  commands: [
    listCommand<Calendar>('calendars', {
      titles: ['NAME', 'UPDATED', 'WEEKENDS', 'DATES'],
      row: ({ name, updatedAt, weekends, dates }) => [
        name,
        shortTime(updatedAt),
        weekends.join(' '),
        dates.join(' '),
      ],
      list: (client, query) => client.calendars.list(query),
    }),
    showCommand<Calendar>('calendars', {
      argument: '<name>',
      example: 'holidays',
      get: (client, name) => client.calendars.get(name),
      show: ({ name, dates, weekends, source, updatedAt }) => [
        ['name', name],
        ['updated', shortTime(updatedAt)],
        ['weekends', weekends.join(' ')],
        ['source', source ? `${source.url}${source.error === null ? '' : ` (${source.error})`}` : ''],
        ['dates', dates.join(' ')],
      ],
    }),
    set,
    importIcs,
    deleteCommand('calendars', {
      argument: '<name>',
      example: 'holidays',
      summary: 'Delete calendars that no schedule names',
      remove: (client, name) => client.calendars.delete(name),
    }),
  ],
  examples: ['carillon calendars ls', 'carillon calendars set holidays 2026-12-25'],
});
