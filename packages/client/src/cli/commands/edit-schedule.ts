import type { Schedule } from '../../types/schedule.js';
import { command, type Output } from '../command.js';
import { readSchedule, requireRule, SCHEDULE_OPTIONS } from '../schedule-options.js';
import { harmless } from '../terminal.js';
import { timeFromNow } from '../times.js';

export const createSchedule = command({
  name: 'create',
  summary: 'Create a schedule',
  details: 'The same id and definition again changes nothing and answers with the schedule that is there.',
  usage: '--cron "…" | --every … | --at … | --in … | --rrule … | --file …',
  words: { least: 0, most: 0 },
  options: {
    id: { type: 'string', value: '<id>', about: 'an id of your own; otherwise one is made' },
    ...SCHEDULE_OPTIONS,
  },
  examples: [
    'carillon schedules create --id hello --in 2s --target handler:log',
    'carillon schedules create --id standup --cron "0 9 * * 1-5" --tz America/New_York --target https://example.com/hook',
    `carillon schedules create --every 15m --target queue:reports --payload '{"kind":"hourly"}'`,
    'carillon schedules create --file schedule.json',
  ],
  async run({ values, client }): Promise<Output> {
    const { id, ...given } = values;
    const schedule = readSchedule(given, Date.now());
    const created = await client.schedules.create(
      requireRule(id === undefined ? schedule : { ...schedule, id }),
    );
    return {
      json: created,
      text: `${created.id} is ${standing(created)}`,
      notes: created.warnings.map(harmless),
    };
  },
});

export const updateSchedule = command({
  name: 'update',
  summary: 'Change a schedule; what is not said stays',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: {
    ...SCHEDULE_OPTIONS,
    'if-match': { type: 'string', value: '<version>', about: 'only if it is still at this version' },
  },
  examples: [
    'carillon schedules update standup --cron "0 10 * * 1-5"',
    'carillon schedules update standup --attempts 5 --if-match 3',
  ],
  async run({ values, positionals, client }): Promise<Output> {
    const [id = ''] = positionals;
    const { 'if-match': version, ...given } = values;
    const ifMatch = version === undefined ? undefined : `"${version.replaceAll('"', '')}"`;
    const edited = await client.schedules.update(id, readSchedule(given, Date.now()), { ifMatch });
    const text = `${edited.id} is ${standing(edited)}, at version ${edited.version}`;
    return { json: edited, text, notes: edited.warnings.map(harmless) };
  },
});

/** How a schedule stands, in a few words. */
export function standing({ status, nextRunAt }: Schedule): string {
  return nextRunAt === null ? status : `${status}, due ${timeFromNow(nextRunAt, Date.now())}`;
}
