import type { Run, RunStatus } from '../../types/run.js';
import { command, group, type Output } from '../command.js';
import { eachId } from '../each-id.js';
import { LIST_OPTIONS, moreNote, pageQuery, readList } from '../list-options.js';
import { readCount } from '../schedule-options.js';
import { table } from '../table.js';
import { lookOf } from '../terminal.js';
import { inWords, readOptionalTime, shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';
import { showRun } from './show-run.js';

const RANGE = {
  schedule: { type: 'string', short: 's', value: '<id>', about: 'runs of this schedule' },
  from: { type: 'string', value: '<time>', about: 'occurrences since, such as "2h ago"' },
  to: { type: 'string', value: '<time>', about: 'occurrences until' },
} as const;

const GROUP = {
  receiver: { type: 'string', value: '<receiver>', about: 'runs of this receiver, as `runs dead` names it' },
  error: { type: 'string', value: '<text>', about: 'runs with exactly this error' },
} as const;

const ls = command({
  name: 'ls',
  summary: 'List runs, most recently changed first',
  usage: '',
  words: { least: 0, most: 0 },
  options: {
    ...RANGE,
    status: {
      type: 'string',
      value: '<status>',
      about: 'queued, running, retrying, succeeded, failed, skipped or cancelled',
    },
    ...LIST_OPTIONS,
  },
  examples: ['carillon runs ls --schedule standup', 'carillon runs ls --status failed --from "24h ago"'],
  async run({ values, client, terminal }): Promise<Output> {
    const nowAt = Date.now();
    const list = client.runs.list({
      schedule: values.schedule,
      status: values.status as RunStatus | undefined,
      from: readOptionalTime(values.from, nowAt),
      to: readOptionalTime(values.to, nowAt),
      ...pageQuery(values),
    });
    const runs = await readList(list, values);
    const titles = ['RUN', 'SCHEDULE', 'STATUS', 'OCCURRENCE', 'LATE', 'TOOK', 'ATTEMPTS', 'REMARK'];
    const text = runs.items.length === 0 ? 'No runs.' : table(titles, runs.items.map(rowOf), terminal);
    return { json: runs, text, notes: moreNote(runs) };
  },
});

const rowOf = (run: Run) => [
  run.id,
  run.scheduleId,
  { text: run.status, look: lookOf(run.status) },
  shortTime(run.occurrenceAt),
  run.latenessMs === null ? '–' : inWords(run.latenessMs),
  run.durationMs === null ? '–' : inWords(run.durationMs),
  String(run.attemptCount),
  [run.origin === 'rule' ? null : run.origin, run.reason ?? run.lastError].filter(Boolean).join(': '),
];

const replay = command({
  name: 'replay',
  summary: 'Replay runs that have ended, or all failed runs that match',
  usage: '<id>… | --failed',
  words: { least: 0, most: 1_000 },
  options: {
    failed: { type: 'boolean', about: 'all failed runs that match the options below' },
    ...RANGE,
    ...GROUP,
    limit: { type: 'string', short: 'n', value: '<count>', about: 'maximum number of runs (default 1000)' },
    'per-second': { type: 'string', value: '<count>', about: 'rate of replays (default 100)' },
    'dry-run': { type: 'boolean', about: 'change nothing; show what would be replayed' },
  },
  examples: [
    'carillon runs replay run_r2s_mi1k8qo0',
    'carillon runs replay --failed --schedule standup --from "24h ago"',
    'carillon runs replay --failed --receiver example.com/hook --dry-run',
  ],
  async run({ values, positionals, client }): Promise<Output> {
    if (!values.failed) {
      if (positionals.length === 0) throw new UsageError('missing run; pass run ids or --failed');
      return eachId(
        positionals,
        (id) => client.runs.replay(id),
        ({ id, status }) => `${id} is ${status}`,
      );
    }
    if (positionals.length > 0) throw new UsageError('pass either run ids or --failed, not both');
    const nowAt = Date.now();
    const answer = await client.runs.replayAll({
      schedule: values.schedule,
      from: readOptionalTime(values.from, nowAt),
      to: readOptionalTime(values.to, nowAt),
      limit: readCount(values.limit, 'limit'),
      receiver: values.receiver,
      error: values.error,
      perSecond: readCount(values['per-second'], 'per-second'),
      dryRun: values['dry-run'] ?? false,
    });
    const { preview } = answer;
    if (preview) {
      const text = `${preview.runs} runs of ${preview.schedules} schedules would be replayed`;
      return { json: answer, text, notes: answer.hasMore ? ['More failed runs may match.'] : [] };
    }
    const notes = answer.hasMore ? ['More failed runs may match: repeat the command.'] : [];
    return { json: answer, text: `${answer.replayed} runs will be replayed`, notes };
  },
});

const dead = command({
  name: 'dead',
  summary: 'Group the runs that failed for good by receiver and error',
  usage: '',
  words: { least: 0, most: 0 },
  options: { ...RANGE, ...GROUP },
  examples: ['carillon runs dead', 'carillon runs dead --from "24h ago"'],
  async run({ values, client, terminal }): Promise<Output> {
    const nowAt = Date.now();
    const deadLetters = await client.runs.deadLetters({
      schedule: values.schedule,
      receiver: values.receiver,
      error: values.error,
      from: readOptionalTime(values.from, nowAt),
      to: readOptionalTime(values.to, nowAt),
    });
    const rows = deadLetters.groups.map(({ receiver, error, runs, schedules, latestAt }) => [
      receiver,
      String(runs),
      String(schedules),
      shortTime(latestAt),
      error,
    ]);
    const titles = ['RECEIVER', 'RUNS', 'SCHEDULES', 'LATEST', 'ERROR'];
    const text = rows.length === 0 ? 'No failed runs.' : table(titles, rows, terminal);
    return {
      json: deadLetters,
      text,
      notes: deadLetters.complete ? [] : ['Only the latest failed runs were grouped.'],
    };
  },
});

const cancel = command({
  name: 'cancel',
  summary: 'Cancel runs that are waiting or in flight',
  usage: '<id>…',
  words: { least: 1, most: 1_000 },
  options: {},
  examples: ['carillon runs cancel run_r2s_mi1k8qo0'],
  run: ({ positionals, client }) =>
    eachId(
      positionals,
      (id) => client.runs.cancel(id),
      ({ id, status }) => `${id} is ${status}`,
    ),
});

export const runs = group({
  name: 'runs',
  summary: 'List, show, replay and cancel runs',
  commands: [ls, showRun, dead, replay, cancel],
  examples: ['carillon runs ls --status failed', 'carillon runs show run_r2s_mi1k8qo0'],
});
