import type { Reminder, ReminderInput } from '../../types/systems.js';
import { command, group, type Output } from '../command.js';
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
import { readOptionalTime, shortTime } from '../times.js';

const create = command({
  name: 'create',
  summary: 'Create a reminder: a message for a person at a given time',
  usage: '--message … --recipient … --at … | --file …',
  words: { least: 0, most: 0 },
  options: {
    message: { type: 'string', value: '<text>', about: 'text of the message' },
    recipient: { type: 'string', value: '<text>', about: 'person who gets the message' },
    at: { type: 'string', value: '<time>', about: 'time of the message, such as +2h or 2026-11-16T09:00' },
    tz: { type: 'string', value: '<zone>', about: 'time zone of a local time, such as Asia/Tokyo' },
    target: TARGET_OPTION,
    file: FILE_OPTION,
  },
  examples: ['carillon reminders create --message "Call the dentist" --recipient ada --at +2h'],
  async run({ values, client }): Promise<Output> {
    const { message, recipient, tz, file } = values;
    const reminder = await client.reminders.create(
      mergeFields<ReminderInput>(file, {
        message,
        recipient,
        at: readOptionalTime(values.at, Date.now()),
        timezone: tz,
        target: optionalTarget(values.target),
      }),
    );
    return { json: reminder, text: `${reminder.id} is scheduled for ${shortTime(reminder.at)}` };
  },
});

export const reminders = group({
  name: 'reminders',
  summary: 'Manage reminders: messages for a person at a given time',
  commands: [
    listCommand<Reminder>('reminders', {
      titles: ['ID', 'STATUS', 'AT', 'RECIPIENT', 'MESSAGE'],
      row: ({ id, status, at, recipient, message }) => [id, status, shortTime(at), recipient, message],
      list: (client, query) => client.reminders.list(query),
    }),
    showCommand<Reminder>('reminders', {
      argument: '<id>',
      example: 'rem_1',
      get: (client, id) => client.reminders.get(id),
      show: (reminder) => [
        ['id', reminder.id],
        ['status', reminder.status],
        ['message', reminder.message],
        ['recipient', reminder.recipient],
        ['at', shortTime(reminder.at)],
        ['target', targetText(reminder.target)],
        ['attempts', `${reminder.attemptCount} of ${reminder.maxAttempts}`],
        ['next attempt', reminder.nextRetryAt && shortTime(reminder.nextRetryAt)],
        ['error', reminder.lastError],
        ['run', reminder.runId],
      ],
    }),
    create,
    deleteCommand('reminders', {
      argument: '<id>',
      example: 'rem_1',
      name: 'cancel',
      summary: 'Cancel reminders that are not delivered yet',
      remove: (client, id) => client.reminders.delete(id),
    }),
  ],
  examples: ['carillon reminders ls'],
});
