import type { Run, RunStatus } from '../../types/run.js';
import { command, group, type Output } from '../command.js';
import { eachId } from '../each-id.js';
import { LIST_OPTIONS, moreNote, pageQuery, readList } from '../list-options.js';
import { count } from '../schedule-options.js';
import { table } from '../table.js';
import { lookOf } from '../terminal.js';
import { inWords, readOptionalTime, shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';
import { showRun } from './show-run.js';

const RANGE = {
  schedule: { type: 'string', short: 's', value: '<id>', about: 'of this schedule' },
  from: { type: 'string', value: '<time>', about: 'occurrences since, such as "2h ago"' },
  to: { type: 'string', value: '<time>', about: 'occurrences until' },
} as const;

const ls = command({
  name: 'ls',
  summary: 'List runs, latest occurrence first',
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
    const found = await readList(list, values);
    const titles = ['RUN', 'SCHEDULE', 'STATUS', 'OCCURRENCE', 'LATE', 'TOOK', 'TRIES', 'REMARK'];
    const text = found.items.length === 0 ? 'No runs.' : table(titles, found.items.map(rowOf), terminal);
    return { json: found, text, notes: moreNote(found) };
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
  summary: 'Try runs that have ended once more, or all failed ones that match',
  usage: '<id>… | --failed',
  words: { least: 0, most: 1_000 },
  options: {
    failed: { type: 'boolean', about: 'all failed runs; the following narrow them down' },
    ...RANGE,
    limit: { type: 'string', short: 'n', value: '<count>', about: 'so many at the most; 1000 unless said' },
    'per-second': { type: 'string', value: '<count>', about: 'how fast; 100 unless said' },
  },
  examples: [
    'carillon runs replay run_r2s_mi1k8qo0',
    'carillon runs replay --failed --schedule standup --from "24h ago"',
  ],
  async run({ values, positionals, client }): Promise<Output> {
    if (!values.failed) {
      if (positionals.length === 0) throw new UsageError('which? Give the ids of runs, or --failed');
      return eachId(
        positionals,
        (id) => client.runs.replay(id),
        ({ id, status }) => `${id} is ${status}`,
      );
    }
    if (positionals.length > 0) throw new UsageError('either ids or --failed');
    const nowAt = Date.now();
    const answer = await client.runs.replayAll({
      schedule: values.schedule,
      from: readOptionalTime(values.from, nowAt),
      to: readOptionalTime(values.to, nowAt),
      limit: count(values.limit, 'limit'),
      perSecond: count(values['per-second'], 'per-second'),
    });
    const notes = answer.hasMore ? ['There may be more: do it again.'] : [];
    return { json: answer, text: `${answer.replayed} to be tried again`, notes };
  },
});

const cancel = command({
  name: 'cancel',
  summary: 'Cancel runs that wait or are under way',
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
  summary: 'Look at what ran and what came back, try it again, or cancel it',
  commands: [ls, showRun, replay, cancel],
  examples: ['carillon runs ls --status failed', 'carillon runs show run_r2s_mi1k8qo0'],
});
