import type { User, UserEventInput, UserInput } from '../../types/systems.js';
import { command, group, type Output, type Values } from '../command.js';
import { targetText } from '../in-words.js';
import {
  deleteCommand,
  FILE_OPTION,
  listCommand,
  mergeFields,
  optionalTarget,
  showCommand,
  TARGET_OPTION,
} from '../resource-commands.js';
import { shortTime } from '../times.js';

const DAY_OPTIONS = {
  'local-time': { type: 'string', value: '<time>', about: 'local time of the message, such as 09:00' },
  'leap-day': { type: 'string', value: '<policy>', about: 'day in common years: feb28, mar1 or skip' },
} as const;

const USER_OPTIONS = {
  'first-name': { type: 'string', value: '<text>', about: 'first name' },
  'last-name': { type: 'string', value: '<text>', about: 'last name' },
  'date-of-birth': { type: 'string', value: '<date>', about: 'date of birth, such as 1990-02-28' },
  tz: { type: 'string', value: '<zone>', about: 'time zone, such as Asia/Tokyo' },
  target: TARGET_OPTION,
  ...DAY_OPTIONS,
  file: FILE_OPTION,
} as const;

const readUser = (values: Values<typeof USER_OPTIONS>) =>
  mergeFields<UserInput>(values.file, {
    firstName: values['first-name'],
    lastName: values['last-name'],
    dateOfBirth: values['date-of-birth'],
    timezone: values.tz,
    target: optionalTarget(values.target),
    localTime: values['local-time'],
    leapDay: values['leap-day'],
  });

const nameOf = ({ firstName, lastName }: User) => `${firstName} ${lastName}`;

const create = command({
  name: 'create',
  summary: 'Create a user with a yearly birthday message',
  usage: '--first-name … --last-name … --date-of-birth … --tz … | --file …',
  words: { least: 0, most: 0 },
  options: USER_OPTIONS,
  examples: [
    'carillon users create --first-name Ada --last-name Byron --date-of-birth 1990-12-10 --tz Europe/London',
  ],
  async run({ values, client }): Promise<Output> {
    const user = await client.users.create(readUser(values));
    const next = user.nextBirthdayEvent && shortTime(user.nextBirthdayEvent.local);
    return { json: user, text: `${user.id} is created; next birthday message: ${next ?? 'none'}` };
  },
});

const update = command({
  name: 'update',
  summary: 'Edit a user; omitted fields keep their value',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: USER_OPTIONS,
  examples: ['carillon users update usr_1 --tz Asia/Tokyo'],
  async run({ values, positionals, client }): Promise<Output> {
    const user = await client.users.update(positionals[0] ?? '', readUser(values));
    return { json: user, text: `${user.id} is updated` };
  },
});

const addEvent = command({
  name: 'add-event',
  summary: 'Add a yearly event to a user, such as an anniversary',
  usage: '<id> <name> <date>',
  words: { least: 3, most: 3 },
  options: { message: { type: 'string', value: '<text>', about: 'text of the message' }, ...DAY_OPTIONS },
  examples: ['carillon users add-event usr_1 anniversary 2019-06-01 --message "Five years!"'],
  async run({ values, positionals: [id = '', name = '', date = ''], client }): Promise<Output> {
    const event = { name, date, message: values.message, localTime: values['local-time'] };
    const user = await client.users.addEvent(id, { ...event, leapDay: values['leap-day'] } as UserEventInput);
    return { json: user, text: `${name} is added to ${user.id}` };
  },
});

const removeEvent = command({
  name: 'remove-event',
  summary: 'Delete a yearly event of a user',
  usage: '<id> <name>',
  words: { least: 2, most: 2 },
  options: {},
  examples: ['carillon users remove-event usr_1 anniversary'],
  async run({ positionals: [id = '', name = ''], client }): Promise<Output> {
    return { json: await client.users.removeEvent(id, name), text: `${name} is removed from ${id}` };
  },
});

export const users = group({
  name: 'users',
  summary: 'Manage users with birthdays and other yearly events',
  commands: [
    listCommand<User>('users', {
      titles: ['ID', 'BORN', 'ZONE', 'NEXT BIRTHDAY MESSAGE', 'NAME'],
      row: (user) => [
        user.id,
        user.dateOfBirth,
        user.timezone,
        shortTime(user.nextBirthdayEvent?.local ?? null),
        nameOf(user),
      ],
      list: (client, query) => client.users.list(query),
    }),
    showCommand<User>('users', {
      argument: '<id>',
      example: 'usr_1',
      get: (client, id) => client.users.get(id),
      show: (user) => [
        ['id', user.id],
        ['name', nameOf(user)],
        ['date of birth', user.dateOfBirth],
        ['time zone', user.timezone],
        ['target', user.target && targetText(user.target)],
        ...user.events.map(
          (event) =>
            [event.name, `${event.date}, next ${shortTime(event.local)} (${event.scheduleId})`] as const,
        ),
      ],
    }),
    create,
    update,
    deleteCommand('users', {
      argument: '<id>',
      example: 'usr_1',
      summary: 'Delete users and cancel their future events',
      remove: (client, id) => client.users.delete(id),
    }),
    addEvent,
    removeEvent,
  ],
  examples: ['carillon users ls', 'carillon users show usr_1'],
});
