import type { Project, ProjectInput } from '../../types/tenancy.js';
import { command, group, type Output, type Values } from '../command.js';
import { targetText } from '../in-words.js';
import {
  FILE_OPTION,
  listCommand,
  mergeFields,
  optionalTarget,
  TARGET_OPTION,
} from '../resource-commands.js';
import { readCount } from '../schedule-options.js';

const PROJECT_OPTIONS = {
  name: { type: 'string', value: '<text>', about: 'display name' },
  target: TARGET_OPTION,
  'max-schedules': { type: 'string', value: '<count>', about: 'maximum number of schedules' },
  'requests-per-minute': { type: 'string', value: '<count>', about: 'maximum number of requests per minute' },
  'keep-runs': { type: 'string', value: '<duration>', about: 'how long runs are kept, such as P90D' },
  'keep-schedules': {
    type: 'string',
    value: '<duration>',
    about: 'how long finished and cancelled schedules are kept, with their runs',
  },
  'keep-audit': { type: 'string', value: '<duration>', about: 'how long the audit log is kept' },
  file: FILE_OPTION,
} as const;

function readProject(values: Values<typeof PROJECT_OPTIONS>): Omit<ProjectInput, 'id'> {
  const limits = {
    schedules: readCount(values['max-schedules'], 'max-schedules'),
    requestsPerMinute: readCount(values['requests-per-minute'], 'requests-per-minute'),
  };
  const retention = {
    runs: values['keep-runs'],
    schedules: values['keep-schedules'],
    audit: values['keep-audit'],
  };
  const hasValue = (fields: object) => Object.values(fields).some((value) => value !== undefined);
  return mergeFields(values.file, {
    name: values.name,
    defaultTarget: optionalTarget(values.target),
    limits: hasValue(limits) ? limits : undefined,
    retention: hasValue(retention) ? retention : undefined,
  });
}

const create = command({
  name: 'create',
  summary: 'Create a project; requires an admin key of the default project',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: PROJECT_OPTIONS,
  examples: ['carillon projects create billing --name Billing'],
  async run({ values, positionals: [id = ''], client }): Promise<Output> {
    const project = await client.projects.create({ ...readProject({ name: id, ...values }), id });
    const note = `Create a key for it: carillon keys create <name> --project ${project.id}`;
    return { json: project, text: `${project.id} is created`, notes: [note] };
  },
});

const update = command({
  name: 'update',
  summary: 'Edit a project; new limits or a new retention replace all of the old ones',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: PROJECT_OPTIONS,
  examples: [
    'carillon projects update billing --max-schedules 10000',
    'carillon projects update billing --keep-runs P90D --keep-schedules P30D',
  ],
  async run({ values, positionals: [id = ''], client }): Promise<Output> {
    const project = await client.projects.update(id, readProject(values));
    return { json: project, text: `${project.id} is updated` };
  },
});

const limitText = (limit: number | null) => (limit === null ? '–' : String(limit));

export const projects = group({
  name: 'projects',
  summary: 'Manage projects, the tenants of an installation',
  commands: [
    listCommand<Project>('projects', {
      titles: ['ID', 'NAME', 'MAX SCHEDULES', 'REQUESTS/MIN', 'DEFAULT TARGET'],
      row: ({ id, name, limits, defaultTarget }) => [
        id,
        name,
        limitText(limits.schedules),
        limitText(limits.requestsPerMinute),
        defaultTarget ? targetText(defaultTarget) : '–',
      ],
      list: (client, query) => client.projects.list(query),
    }),
    create,
    update,
  ],
  examples: ['carillon projects ls', 'carillon projects create billing'],
});
