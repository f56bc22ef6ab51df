import type { Outcomes, System, SystemWindow } from '../../types/operations.js';
import { command, type Output } from '../command.js';
import { LIST_OPTIONS, moreNote, pageQuery, readList } from '../list-options.js';
import { readCount } from '../schedule-options.js';
import { type Cell, fields, table } from '../table.js';
import { lookOf, type Terminal } from '../terminal.js';
import { inWords, readDuration, readOptionalTime, shortTime, timeFromNow } from '../times.js';

const NO_ARGUMENTS = { usage: '', words: { least: 0, most: 0 } };

export const workers = command({
  name: 'workers',
  summary: 'List worker replicas, newest first',
  ...NO_ARGUMENTS,
  options: LIST_OPTIONS,
  examples: ['carillon workers'],
  async run({ values, client, terminal }): Promise<Output> {
    const workers = await readList(client.workers(pageQuery(values)), values);
    const rows = workers.items.map((worker) => [
      String(worker.id),
      { text: worker.status, look: lookOf(worker.status) },
      worker.host,
      String(worker.pid),
      String(worker.inFlight),
      `${worker.clockOffsetMs} ms`,
      shortTime(worker.startedAt),
      timeFromNow(worker.heartbeatAt, Date.now()),
    ]);
    const titles = ['ID', 'STATUS', 'HOST', 'PID', 'IN FLIGHT', 'CLOCK', 'STARTED', 'LAST SEEN'];
    const text =
      rows.length === 0
        ? 'No workers. Due runs wait until a worker is started.'
        : table(titles, rows, terminal);
    return { json: workers, text, notes: moreNote(workers) };
  },
});

export const me = command({
  name: 'me',
  summary: 'Show the project, the key and the scopes in use',
  ...NO_ARGUMENTS,
  options: {},
  examples: ['carillon me'],
  async run({ client, terminal }): Promise<Output> {
    const identity = await client.me();
    const pairs: [string, Cell][] = [
      ['project', identity.project],
      ['key', `${identity.keyName} (${identity.keyId})`],
      ['scopes', identity.scopes.join(', ')],
    ];
    return { json: identity, text: fields(pairs, terminal.style) };
  },
});

export const system = command({
  name: 'system',
  summary: 'Show the health and drift figures of the engine',
  ...NO_ARGUMENTS,
  options: {},
  examples: ['carillon system', 'carillon system --json | jq .windows.hour'],
  async run({ client, terminal }): Promise<Output> {
    const figures = await client.system();
    return { json: figures, text: fields(fieldsOf(figures), terminal.style) };
  },
});

const WINDOWS = [
  ['minute', '1 min'],
  ['hour', '1 h'],
  ['day', '24 h'],
] as const;

const driftIn = ({ drift }: SystemWindow) =>
  `${drift.overdue.perMinute} overdue, ${drift.missingBells.perMinute} wake-ups missing in Redis, ${drift.expiredLeases.perMinute} expired leases`;

function fieldsOf({
  status,
  reasons,
  redis,
  workers,
  backlog,
  sweep,
  bells,
  circuits,
  windows,
  ...rest
}: System): [string, Cell][] {
  const oldest = backlog.oldestDueAt === null ? '' : `, the oldest due ${shortTime(backlog.oldestDueAt)}`;
  const ms = (value: number | null) => (value === null ? '–' : inWords(value));
  return [
    ['status', { text: status, look: lookOf(status) }],
    ...reasons.map(({ code, message }): [string, Cell] => ['reason', `${code}: ${message}`]),
    ['redis', { text: redis, look: lookOf(redis) }],
    ['workers', `${workers.alive} alive, ${workers.lost} lost, ${workers.inFlight} runs in flight`],
    ['backlog', `${backlog.schedules} schedules and ${backlog.runs} runs due${oldest}`],
    ...WINDOWS.map(([key, name]): [string, Cell] => {
      const { lateness, failed } = windows[key];
      const late = `p50 ${ms(lateness.p50Ms)}, p99 ${ms(lateness.p99Ms)}, of ${lateness.count} runs`;
      return [`lateness, ${name}`, `${late}; ${failed.count} failed for good`];
    }),
    ['circuits', `${circuits.open} open`],
    ['bells', bells.armed === null ? 'unknown' : `${bells.armed} armed`],
    ['last sweep', sweep.ageMs === null ? 'none' : `${inWords(sweep.ageMs)} ago`],
    ['drift per minute', driftIn(windows.minute)],
    [
      'clock',
      `${shortTime(rest.now)}, ${Math.abs(rest.clockOffsetMs)} ms ${rest.clockOffsetMs < 0 ? 'behind' : 'ahead of'} the API`,
    ],
  ];
}

export const stats = command({
  name: 'stats',
  summary: 'Count runs by outcome, with their lateness',
  ...NO_ARGUMENTS,
  options: {
    from: { type: 'string', value: '<time>', about: 'since (default "1h ago")' },
    to: { type: 'string', value: '<time>', about: 'until (default now)' },
    step: { type: 'string', value: '<duration>', about: 'length of a row, such as 5m (default 5m)' },
  },
  examples: ['carillon stats', 'carillon stats --from "24h ago" --step 1h'],
  async run({ values, client, terminal }): Promise<Output> {
    const nowAt = Date.now();
    const answer = await client.stats({
      from: readOptionalTime(values.from, nowAt),
      to: readOptionalTime(values.to, nowAt),
      step: readDuration(values.step ?? '5m'),
    });
    const rows = [
      ...answer.items.map((step) => [shortTime(step.at), step] as const),
      ['total', answer.total] as const,
    ];
    const titles = ['FROM', 'SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED', 'RUNNING', 'LATE P50', 'LATE P99'];
    const notes = answer.complete
      ? []
      : [
          'No worker has counted runs (in its sweep) for more than five minutes: some minutes are not counted yet.',
        ];
    return { json: answer, text: table(titles, rows.map(outcomeRow), terminal), notes };
  },
});

function outcomeRow([name, step]: readonly [string, Outcomes]): Cell[] {
  const counts = [step.succeeded, step.failed, step.skipped, step.cancelled, step.running].map(String);
  const ms = (value: number | null) => (value === null ? '–' : inWords(value));
  return [name, ...counts, ms(step.lateness.p50Ms), ms(step.lateness.p99Ms)];
}

export const forecast = command({
  name: 'forecast',
  summary: 'Show the expected number of fires per hour',
  ...NO_ARGUMENTS,
  options: {
    hours: { type: 'string', value: '<count>', about: 'hours to look ahead, up to 168 (default 24)' },
  },
  examples: ['carillon forecast --hours 6'],
  async run({ values, client, terminal }): Promise<Output> {
    const hours = readCount(values.hours, 'hours');
    const answer = await client.forecast(hours === undefined ? {} : { hours });
    const summary = `${answer.total} fires from ${shortTime(answer.from)} to ${shortTime(answer.to)}`;
    const notes = answer.complete
      ? []
      : ['The forecast is incomplete: there are too many occurrences to count.'];
    return { json: answer, text: [summary, ...bars(answer.minutes, terminal)].join('\n'), notes };
  },
});

const MAX_BAR_WIDTH = 40;

/** Sums the fires of each hour, and draws a bar for each hour. */
function bars(minutes: readonly { at: string; fires: number }[], { style }: Terminal): string[] {
  const hours = new Map<string, number>();
  for (const { at, fires } of minutes) {
    const hour = `${at.slice(0, 13).replace('T', ' ')}:00Z`;
    hours.set(hour, (hours.get(hour) ?? 0) + fires);
  }
  const most = Math.max(1, ...hours.values());
  const width = String(most).length;
  const line = ([hour, fires]: [string, number]) =>
    `${style('dim', hour)}  ${String(fires).padStart(width)}  ${style('cyan', '█'.repeat(Math.ceil((fires / most) * MAX_BAR_WIDTH)))}`;
  return hours.size === 0 ? [] : ['', ...[...hours].map(line)];
}

export const audit = command({
  name: 'audit',
  summary: 'List audit log entries, newest first',
  ...NO_ARGUMENTS,
  options: {
    action: { type: 'string', value: '<action>', about: 'action, such as schedule.paused' },
    subject: { type: 'string', value: '<id>', about: 'id of the changed resource' },
    from: { type: 'string', value: '<time>', about: 'entries since, such as "24h ago"' },
    to: { type: 'string', value: '<time>', about: 'entries until' },
    ...LIST_OPTIONS,
  },
  examples: ['carillon audit --subject standup', 'carillon audit --action schedule.paused --from "7d ago"'],
  async run({ values, client, terminal }): Promise<Output> {
    const nowAt = Date.now();
    const list = client.audit({
      action: values.action,
      subject: values.subject,
      from: readOptionalTime(values.from, nowAt),
      to: readOptionalTime(values.to, nowAt),
      ...pageQuery(values),
    });
    const entries = await readList(list, values);
    const rows = entries.items.map(({ at, actor, action, subject, detail }) => [
      shortTime(at),
      actor,
      action,
      subject ?? '–',
      detail == null ? '' : JSON.stringify(detail),
    ]);
    const text =
      rows.length === 0 ? 'No entries.' : table(['AT', 'BY', 'ACTION', 'SUBJECT', 'DETAIL'], rows, terminal);
    return { json: entries, text, notes: moreNote(entries) };
  },
});
