import type { System } from '../../types/operations.js';
import { command, type Output } from '../command.js';
import { LIST_OPTIONS, moreNote, pageQuery, readList } from '../list-options.js';
import { count } from '../schedule-options.js';
import { type Cell, fields, table } from '../table.js';
import { lookOf, type Terminal } from '../terminal.js';
import { inWords, readOptionalTime, shortTime, timeFromNow } from '../times.js';

const NOTHING = { usage: '', words: { least: 0, most: 0 } };

export const workers = command({
  name: 'workers',
  summary: 'List worker replicas, newest first',
  ...NOTHING,
  options: LIST_OPTIONS,
  examples: ['carillon workers'],
  async run({ values, client, terminal }): Promise<Output> {
    const found = await readList(client.workers(pageQuery(values)), values);
    const rows = found.items.map((worker) => [
      String(worker.id),
      { text: worker.status, look: lookOf(worker.status) },
      worker.host,
      String(worker.pid),
      String(worker.inFlight),
      shortTime(worker.startedAt),
      timeFromNow(worker.heartbeatAt, Date.now()),
    ]);
    const titles = ['ID', 'STATUS', 'HOST', 'PID', 'IN FLIGHT', 'STARTED', 'LAST SEEN'];
    const text =
      rows.length === 0 ? 'No workers: nothing that is due will run.' : table(titles, rows, terminal);
    return { json: found, text, notes: moreNote(found) };
  },
});

export const system = command({
  name: 'system',
  summary: 'Show how the engine stands, in figures',
  ...NOTHING,
  options: {},
  examples: ['carillon system', 'carillon system --json | jq .drift'],
  async run({ client, terminal }): Promise<Output> {
    const figures = await client.system();
    return { json: figures, text: fields(fieldsOf(figures), terminal.style) };
  },
});

function fieldsOf({
  status,
  redis,
  workers,
  backlog,
  sweep,
  drift,
  bells,
  lateness,
  ...rest
}: System): [string, Cell][] {
  const oldest = backlog.oldestDueAt === null ? '' : `, the oldest due ${shortTime(backlog.oldestDueAt)}`;
  const ms = (value: number | null) => (value === null ? '–' : inWords(value));
  return [
    ['status', { text: status, look: lookOf(status) }],
    ['redis', { text: redis, look: lookOf(redis) }],
    ['workers', `${workers.alive} alive, ${workers.lost} lost, ${workers.inFlight} runs in flight`],
    ['backlog', `${backlog.schedules} schedules and ${backlog.runs} runs due${oldest}`],
    ['lateness', `p50 ${ms(lateness.p50Ms)}, p99 ${ms(lateness.p99Ms)}, of ${lateness.count} runs`],
    ['bells', bells.armed === null ? 'unknown' : `${bells.armed} armed`],
    ['last sweep', sweep.ageMs === null ? 'none' : `${inWords(sweep.ageMs)} ago`],
    [
      'drift',
      `${drift.overdue} overdue, ${drift.missingBells} bells missing, ${drift.expiredLeases} leases run out`,
    ],
    [
      'clock',
      `${shortTime(rest.now)}, ${Math.abs(rest.clockOffsetMs)} ms ${rest.clockOffsetMs < 0 ? 'behind' : 'ahead of'} the API`,
    ],
  ];
}

export const forecast = command({
  name: 'forecast',
  summary: 'Show how many fires are to come, and when most of them do',
  ...NOTHING,
  options: { hours: { type: 'string', value: '<count>', about: 'so far ahead; 24 unless said, up to 168' } },
  examples: ['carillon forecast --hours 6'],
  async run({ values, client, terminal }): Promise<Output> {
    const hours = count(values.hours, 'hours');
    const answer = await client.forecast(hours === undefined ? {} : { hours });
    const said = `${answer.total} fires from ${shortTime(answer.from)} to ${shortTime(answer.to)}`;
    const notes = answer.complete ? [] : ['There is more to come than could be counted.'];
    return { json: answer, text: [said, ...bars(answer.minutes, terminal)].join('\n'), notes };
  },
});

const WIDEST = 40;

/** Hour by hour: minutes are for programs. */
function bars(minutes: readonly { at: string; fires: number }[], { style }: Terminal): string[] {
  const hours = new Map<string, number>();
  for (const { at, fires } of minutes) {
    const hour = `${at.slice(0, 13).replace('T', ' ')}:00Z`;
    hours.set(hour, (hours.get(hour) ?? 0) + fires);
  }
  const most = Math.max(1, ...hours.values());
  const width = String(most).length;
  const line = ([hour, fires]: [string, number]) =>
    `${style('dim', hour)}  ${String(fires).padStart(width)}  ${style('cyan', '█'.repeat(Math.ceil((fires / most) * WIDEST)))}`;
  return hours.size === 0 ? [] : ['', ...[...hours].map(line)];
}

export const audit = command({
  name: 'audit',
  summary: 'Show who did what, newest first',
  ...NOTHING,
  options: {
    action: { type: 'string', value: '<action>', about: 'such as schedule.paused' },
    subject: { type: 'string', value: '<id>', about: 'done to this' },
    from: { type: 'string', value: '<time>', about: 'since, such as "24h ago"' },
    to: { type: 'string', value: '<time>', about: 'until' },
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
    const found = await readList(list, values);
    const rows = found.items.map(({ at, actor, action, subject, detail }) => [
      shortTime(at),
      actor,
      action,
      subject ?? '–',
      detail == null ? '' : JSON.stringify(detail),
    ]);
    const text =
      rows.length === 0 ? 'Nothing.' : table(['AT', 'BY', 'ACTION', 'SUBJECT', 'DETAIL'], rows, terminal);
    return { json: found, text, notes: moreNote(found) };
  },
});
