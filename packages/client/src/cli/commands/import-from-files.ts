import { readText } from '../schedule-options.js';
import { importCommand, ZONE_OPTION } from './import-command.js';

const MANY_FILES = { least: 1, most: 1_000 };

export const graphileWorker = importCommand({
  name: 'graphile-worker',
  summary: 'Import a crontab of graphile-worker',
  details:
    'The payload carries the name of the task and its payload. Rules are read in UTC, as graphile-worker does.',
  usage: '<file>',
  words: { least: 1, most: 1 },
  options: {},
  examples: ['carillon import graphile-worker crontab --target queue:tasks --dry-run'],
  async read([path = '']) {
    const { importGraphileWorker } = await import('../importers/graphile-worker.js');
    return importGraphileWorker(readText(path));
  },
});

export const kubernetes = importCommand({
  name: 'kubernetes',
  summary: 'Import CronJob manifests of Kubernetes',
  details: `Reads YAML or JSON: manifests, folders of them, or the output of kubectl. Other kinds of objects are ignored. Carillon does
not start containers: the payload carries the job template to a receiver that does.`,
  usage: '<path>…',
  words: MANY_FILES,
  options: ZONE_OPTION,
  examples: [
    'kubectl get cronjobs -A -o yaml | carillon import kubernetes - --dry-run',
    'carillon import kubernetes manifests/ --target https://example.com/jobs --output schedules.yaml --set cluster',
  ],
  async read(paths, { tz }) {
    const [{ importKubernetes }, { readDocuments }] = await Promise.all([
      import('../importers/kubernetes.js'),
      import('../importers/read-documents.js'),
    ]);
    return importKubernetes(readDocuments(paths), tz === undefined ? {} : { timezone: tz });
  },
});

export const eventbridge = importCommand({
  name: 'eventbridge',
  summary: 'Import schedules of Amazon EventBridge Scheduler',
  details:
    'Reads the JSON output of get-schedule: one schedule per file, one per line, or an array. The output of list-schedules has no rules, so it cannot be imported.',
  usage: '<path>…',
  words: MANY_FILES,
  options: {},
  examples: [
    'aws scheduler get-schedule --name invoices | carillon import eventbridge - --dry-run',
    'carillon import eventbridge exported/ --target https://example.com/jobs/{name}',
  ],
  async read(paths) {
    const [{ importEventbridge }, { readDocuments }] = await Promise.all([
      import('../importers/eventbridge.js'),
      import('../importers/read-documents.js'),
    ]);
    return importEventbridge(readDocuments(paths));
  },
});

export const nodeCron = importCommand({
  name: 'node-cron',
  summary: 'Import tasks of node-cron from a list or from source files',
  details: `node-cron stores its tasks only in the program. A JSON or YAML file is a list of { name, expression, timezone, … }; in any other file, calls
of cron.schedule('…') with literal arguments are found. The functions stay in the program.`,
  usage: '<path>…',
  words: MANY_FILES,
  options: ZONE_OPTION,
  examples: [
    'carillon import node-cron src/jobs.ts --target handler:{name} --dry-run',
    'carillon import node-cron tasks.json --tz Europe/Berlin --target handler:{name}',
  ],
  async read(paths, { tz }) {
    const [{ importNodeCron }, { readNodeCron }] = await Promise.all([
      import('../importers/node-cron.js'),
      import('../importers/read-node-cron.js'),
    ]);
    return importNodeCron(readNodeCron(paths), tz === undefined ? {} : { timezone: tz });
  },
});

export const agenda = importCommand({
  name: 'agenda',
  summary: 'Import jobs of Agenda from an export of its collection or table',
  details:
    'Reads JSON: an array, or one job per line as mongoexport writes it. Jobs that have ended are left out.',
  usage: '<path>…',
  words: MANY_FILES,
  options: ZONE_OPTION,
  examples: [
    'mongoexport --collection agendaJobs | carillon import agenda - --target handler:{name} --dry-run',
  ],
  async read(paths, { tz }) {
    const [{ importAgenda }, { readDocuments }] = await Promise.all([
      import('../importers/agenda.js'),
      import('../importers/read-documents.js'),
    ]);
    return importAgenda(readDocuments(paths).flat(), tz === undefined ? {} : { timezone: tz });
  },
});
