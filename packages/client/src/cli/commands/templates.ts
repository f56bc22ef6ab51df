import type { Template, TemplateInput } from '../../types/systems.js';
import { command, group, type Output, type Values } from '../command.js';
import { ruleText } from '../in-words.js';
import { deleteCommand, FILE_OPTION, listCommand, mergeFields, showCommand } from '../resource-commands.js';
import { readRule, SCHEDULE_OPTIONS } from '../schedule-options.js';

const { cron, every, rrule, tz } = SCHEDULE_OPTIONS;
const TEMPLATE_OPTIONS = {
  cron,
  every,
  rrule,
  tz,
  description: { type: 'string', value: '<text>', about: 'description' },
  file: FILE_OPTION,
} as const;

const readTemplate = ({ tz, description, file, ...rule }: Values<typeof TEMPLATE_OPTIONS>) =>
  mergeFields<Omit<TemplateInput, 'id'>>(file, {
    rule: readRule(rule, Date.now()),
    timezone: tz,
    description,
  });

const create = command({
  name: 'create',
  summary: 'Create a template: a rule with a name',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: TEMPLATE_OPTIONS,
  examples: ['carillon templates create weekdays --cron "0 9 * * 1-5" --tz Europe/Berlin'],
  async run({ values, positionals: [id = ''], client }): Promise<Output> {
    const template = await client.templates.create({ ...readTemplate(values), id });
    return { json: template, text: `${template.id} is created: ${template.text}` };
  },
});

const update = command({
  name: 'update',
  summary: 'Edit a template; omitted fields keep their value',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: TEMPLATE_OPTIONS,
  examples: ['carillon templates update weekdays --cron "0 10 * * 1-5"'],
  async run({ values, positionals: [id = ''], client }): Promise<Output> {
    const template = await client.templates.update(id, readTemplate(values));
    return { json: template, text: `${template.id} is updated: ${template.text}` };
  },
});

export const templates = group({
  name: 'templates',
  summary: 'Manage templates: named rules for schedules',
  commands: [
    listCommand<Template>('templates', {
      titles: ['ID', 'BUILT IN', 'RULE', 'ZONE', 'MEANING'],
      row: (template) => [
        template.id,
        template.builtIn ? 'yes' : 'no',
        ruleText(template.rule),
        template.timezone ?? '–',
        template.text,
      ],
      list: (client, query) => client.templates.list(query),
    }),
    showCommand<Template>('templates', {
      argument: '<id>',
      example: 'hourly',
      get: (client, id) => client.templates.get(id),
      show: (template) => [
        ['id', template.id],
        ['description', template.description],
        ['rule', `${ruleText(template.rule)}  (${template.text})`],
        ['time zone', template.timezone],
        ['built in', template.builtIn ? 'yes' : 'no'],
      ],
    }),
    create,
    update,
    deleteCommand('templates', {
      argument: '<id>',
      example: 'weekdays',
      summary: 'Delete templates; schedules keep their rule',
      remove: (client, id) => client.templates.delete(id),
    }),
  ],
  examples: ['carillon templates ls', 'carillon schedules create --template hourly --target handler:log'],
});
