import type { Task, TaskInput } from '../../types/systems.js';
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
import { readOptionalTime, shortTime } from '../times.js';

const TASK_OPTIONS = {
  title: { type: 'string', value: '<text>', about: 'title of the task' },
  due: { type: 'string', value: '<time>', about: 'due time, such as 2026-11-16T09:00:00Z or +2d' },
  target: TARGET_OPTION,
  file: FILE_OPTION,
} as const;

const readTask = ({ title, due, target, file }: Values<typeof TASK_OPTIONS>) =>
  mergeFields<TaskInput>(file, {
    title,
    dueAt: readOptionalTime(due, Date.now()),
    target: optionalTarget(target),
  });

const create = command({
  name: 'create',
  summary: 'Create a task with a reminder one day before it is due',
  usage: '--title … --due … | --file …',
  words: { least: 0, most: 0 },
  options: TASK_OPTIONS,
  examples: ['carillon tasks create --title "Send the invoice" --due +2d'],
  async run({ values, client }): Promise<Output> {
    const task = await client.tasks.create(readTask(values));
    return { json: task, text: `${task.id} is created, due ${shortTime(task.dueAt)}` };
  },
});

const update = command({
  name: 'update',
  summary: 'Edit a task; omitted fields keep their value',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: TASK_OPTIONS,
  examples: ['carillon tasks update tsk_1 --due +3d'],
  async run({ values, positionals, client }): Promise<Output> {
    const task = await client.tasks.update(positionals[0] ?? '', readTask(values));
    return { json: task, text: `${task.id} is updated, due ${shortTime(task.dueAt)}` };
  },
});

const scan = command({
  name: 'scan',
  summary: 'Run the hourly task scan now',
  usage: '',
  words: { least: 0, most: 0 },
  options: {},
  examples: ['carillon tasks scan'],
  async run({ client }): Promise<Output> {
    const result = await client.tasks.scan();
    const { due, sent, skipped, failed } = result;
    return { json: result, text: `${due} due: ${sent} sent, ${skipped} skipped, ${failed} failed` };
  },
});

export const tasks = group({
  name: 'tasks',
  summary: 'Manage tasks with a due date and a reminder',
  commands: [
    listCommand<Task>('tasks', {
      titles: ['ID', 'DUE', 'REMINDER SENT', 'TITLE'],
      row: ({ id, dueAt, reminderSentAt, title }) => [id, shortTime(dueAt), shortTime(reminderSentAt), title],
      list: (client, query) => client.tasks.list(query),
    }),
    showCommand<Task>('tasks', {
      argument: '<id>',
      example: 'tsk_1',
      get: (client, id) => client.tasks.get(id),
      show: (task) => [
        ['id', task.id],
        ['title', task.title],
        ['due', shortTime(task.dueAt)],
        ['reminder sent', task.reminderSentAt && shortTime(task.reminderSentAt)],
        ['target', task.target && targetText(task.target)],
      ],
    }),
    create,
    update,
    deleteCommand('tasks', {
      argument: '<id>',
      example: 'tsk_1',
      summary: 'Delete tasks',
      remove: (client, id) => client.tasks.delete(id),
    }),
    scan,
  ],
  examples: ['carillon tasks ls', 'carillon tasks create --title "Send the invoice" --due +2d'],
});
