import type { Schedule } from '../../types/schedule.js';
import { command, type Output } from '../command.js';
import { readSchedule, requireRule, SCHEDULE_OPTIONS } from '../schedule-options.js';
import { withoutControls } from '../terminal.js';
import { timeFromNow } from '../times.js';

export const createSchedule = command({
  name: 'create',
  summary: 'Create a schedule',
  details: 'A repeat with the same id and definition changes nothing and returns the existing schedule.',
  usage: '--cron "…" | --every … | --at … | --in … | --rrule … | --file …',
  words: { least: 0, most: 0 },
  options: {
    id: { type: 'string', value: '<id>', about: 'id of the schedule (default: generated)' },
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
      text: `${created.id} is ${statusText(created)}`,
      notes: created.warnings.map(withoutControls),
    };
  },
});

const ifMatchOf = (version: string | undefined) =>
  version === undefined ? undefined : `"${version.replaceAll('"', '')}"`;

export const putSchedule = command({
  name: 'put',
  summary: 'Create a schedule, or replace its definition',
  details:
    'Omitted fields get their defaults. A cancelled schedule starts anew. A repeat with the same definition changes nothing.',
  usage: '<id> --cron "…" | --every … | --at … | --in … | --rrule … | --file …',
  words: { least: 1, most: 1 },
  options: {
    ...SCHEDULE_OPTIONS,
    'if-match': { type: 'string', value: '<version>', about: 'fail unless the schedule has this version' },
    'create-only': { type: 'boolean', about: 'fail if the id is taken' },
  },
  examples: [
    'carillon schedules put standup --cron "0 9 * * 1-5" --target https://example.com/hook',
    'carillon schedules put standup --file schedule.json --if-match 3',
  ],
  async run({ values, positionals, client }): Promise<Output> {
    const [id = ''] = positionals;
    const { 'if-match': version, 'create-only': createOnly, ...given } = values;
    const schedule = requireRule(readSchedule(given, Date.now()));
    const put = await client.schedules.put(id, schedule, { ifMatch: ifMatchOf(version), createOnly });
    const text = `${put.id} is ${statusText(put)}, at version ${put.version}`;
    return { json: put, text, notes: put.warnings.map(withoutControls) };
  },
});

export const updateSchedule = command({
  name: 'update',
  summary: 'Edit a schedule; omitted fields keep their value',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: {
    ...SCHEDULE_OPTIONS,
    'if-match': { type: 'string', value: '<version>', about: 'fail unless the schedule has this version' },
  },
  examples: [
    'carillon schedules update standup --cron "0 10 * * 1-5"',
    'carillon schedules update standup --attempts 5 --if-match 3',
  ],
  async run({ values, positionals, client }): Promise<Output> {
    const [id = ''] = positionals;
    const { 'if-match': version, ...given } = values;
    const schedule = readSchedule(given, Date.now());
    const edited = await client.schedules.update(id, schedule, { ifMatch: ifMatchOf(version) });
    const text = `${edited.id} is ${statusText(edited)}, at version ${edited.version}`;
    return { json: edited, text, notes: edited.warnings.map(withoutControls) };
  },
});

/** The status of a schedule and its next run, in words. */
export function statusText({ status, nextRunAt }: Schedule): string {
  return nextRunAt === null ? status : `${status}, due ${timeFromNow(nextRunAt, Date.now())}`;
}
