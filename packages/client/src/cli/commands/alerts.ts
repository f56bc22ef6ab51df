import type { Alert, AlertChannel, AlertChannelInput, Maintenance } from '../../types/alert.js';
import { type Command, command, group, type Output } from '../command.js';
import { LIST_OPTIONS, moreNote, pageQuery, readList } from '../list-options.js';
import { deleteCommand, FILE_OPTION, listCommand, mergeFields, showCommand } from '../resource-commands.js';
import { table } from '../table.js';
import { lookOf } from '../terminal.js';
import { readOptionalTime, readTime, shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';

const lookOfState = (state: Alert['state']) => lookOf(state === 'open' ? 'failed' : 'succeeded');

const ls = command({
  name: 'ls',
  summary: 'List breaches of objectives, newest first',
  usage: '',
  words: { least: 0, most: 0 },
  options: {
    ...LIST_OPTIONS,
    open: { type: 'boolean', about: 'only open breaches' },
    schedule: { type: 'string', value: '<id>', about: 'only breaches of one schedule' },
  },
  examples: ['carillon alerts ls --open', 'carillon alerts ls --schedule nightly-export --json'],
  async run({ values, client, terminal }): Promise<Output> {
    const filter = { state: values.open ? ('open' as const) : undefined, schedule: values.schedule };
    const alerts = await readList(client.alerts.list({ ...filter, ...pageQuery(values) }), values);
    const rows = alerts.items.map((alert) => [
      { text: alert.state, look: lookOfState(alert.state) },
      shortTime(alert.openedAt),
      shortTime(alert.resolvedAt),
      alert.kind,
      alert.scheduleId,
      alert.sentence,
    ]);
    const titles = ['STATE', 'SINCE', 'UNTIL', 'OBJECTIVE', 'SCHEDULE', 'WHAT HAPPENED'];
    const text = rows.length === 0 ? 'No alerts.' : table(titles, rows, terminal);
    return { json: alerts, text, notes: moreNote(alerts) };
  },
});

const silence = command({
  name: 'silence',
  summary: 'Silence the alerts of the project, or of one schedule, for a time',
  usage: '',
  words: { least: 0, most: 0 },
  options: {
    until: { type: 'string', value: '<time>', about: 'end of the window, such as +2h (required)' },
    from: { type: 'string', value: '<time>', about: 'start of the window (default: now)' },
    schedule: { type: 'string', value: '<id>', about: 'one schedule (default: all of the project)' },
    note: { type: 'string', value: '<text>', about: 'why' },
  },
  examples: ['carillon alerts silence --until +2h --note "database upgrade"'],
  async run({ values: { until, from, schedule, note }, client }): Promise<Output> {
    if (until === undefined) throw new UsageError('missing --until: when the window ends, such as +2h');
    const nowAt = Date.now();
    const window = await client.alerts.silence({
      endAt: readTime(until, nowAt),
      startAt: readOptionalTime(from, nowAt),
      schedule,
      note,
    });
    const whom = window.schedule === null ? 'all schedules' : window.schedule;
    return { json: window, text: `${window.id}: ${whom} silent until ${shortTime(window.endAt)}` };
  },
});

const maintenance: Command = {
  ...listCommand<Maintenance>('maintenance windows', {
    titles: ['ID', 'SCHEDULE', 'FROM', 'UNTIL', 'BY', 'NOTE'],
    row: (window) => [
      window.id,
      window.schedule ?? 'all',
      shortTime(window.startAt),
      shortTime(window.endAt),
      window.createdBy,
      window.note ?? '',
    ],
    list: (client, query) => client.alerts.maintenance(query),
  }),
  name: 'maintenance',
  examples: ['carillon alerts maintenance'],
};

export const alerts = group({
  name: 'alerts',
  summary: 'List breaches of objectives, and silence them for a time',
  commands: [
    ls,
    silence,
    maintenance,
    deleteCommand('alerts', {
      argument: '<window>',
      example: '7',
      name: 'unsilence',
      summary: 'End maintenance windows',
      remove: (client, id) => client.alerts.unsilence(id),
    }),
  ],
  examples: ['carillon alerts ls --open', 'carillon alerts silence --until +2h'],
});

const CHANNEL_OPTIONS = {
  type: { type: 'string', value: '<type>', about: 'webhook, slack, email or pagerduty' },
  to: {
    type: 'string',
    value: '<place>',
    multiple: true,
    about: 'URL of a webhook or a Slack-compatible webhook, or an e-mail address',
  },
  file: { ...FILE_OPTION, about: 'read the fields, also secrets, from a JSON file; - is standard input' },
} as const;

const create = command({
  name: 'create',
  summary: 'Create a channel to which alerts are sent',
  details:
    'Secrets (secret, routingKey) come from a file, so that they do not stay in the history of the shell.',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: CHANNEL_OPTIONS,
  examples: [
    'carillon channels create on-call --type email --to on-call@example.com',
    `echo '{"type":"pagerduty","routingKey":"…"}' | carillon channels create pager --file -`,
  ],
  async run({ values: { file, type, to }, positionals: [id = ''], client }): Promise<Output> {
    // `--url` is the URL of the API, as for every command. So the URL of a channel is given with `--to`.
    const place = type === 'email' ? { to } : { url: to?.[0] };
    const channel = await client.alertChannels.create(
      mergeFields<AlertChannelInput>(file, { type, ...place, id }),
    );
    return {
      json: channel,
      text: `${channel.id} is created; \`carillon channels test ${channel.id}\` tries it`,
    };
  },
});

const test = command({
  name: 'test',
  summary: 'Send a test message to a channel',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: {},
  examples: ['carillon channels test on-call'],
  async run({ positionals: [id = ''], client }): Promise<Output> {
    const message = await client.alertChannels.test(id);
    const { status, error } = message;
    return {
      json: message,
      text: error ? `${status}: ${error}` : status,
      exitCode: status === 'sent' ? 0 : 1,
    };
  },
});

const placeOf = ({ url, to }: AlertChannel) => to?.join(', ') ?? url ?? '';
const lastOf = ({ lastMessage }: AlertChannel) =>
  lastMessage === null ? '–' : `${lastMessage.status} ${shortTime(lastMessage.at)}`;

export const channels = group({
  name: 'channels',
  summary: 'Manage the channels to which alerts are sent',
  commands: [
    listCommand<AlertChannel>('channels', {
      titles: ['ID', 'TYPE', 'ENABLED', 'LAST MESSAGE', 'TO'],
      row: (channel) => [
        channel.id,
        channel.type,
        channel.enabled ? 'yes' : 'no',
        lastOf(channel),
        placeOf(channel),
      ],
      list: (client, query) => client.alertChannels.list(query),
    }),
    showCommand<AlertChannel>('channels', {
      argument: '<id>',
      example: 'on-call',
      get: (client, id) => client.alertChannels.get(id),
      show: (channel) => [
        ['id', channel.id],
        ['type', channel.type],
        ['enabled', channel.enabled ? 'yes' : 'no'],
        ['to', placeOf(channel)],
        ['own secret', channel.hasSecret ? 'yes' : 'no'],
        ['last message', lastOf(channel)],
        ['error', channel.lastMessage?.error ?? null],
      ],
    }),
    create,
    test,
    deleteCommand('channels', {
      argument: '<id>',
      example: 'on-call',
      summary: 'Delete channels',
      remove: (client, id) => client.alertChannels.delete(id),
    }),
  ],
  examples: ['carillon channels ls', 'carillon channels test on-call'],
});
