import type { Carillon } from '../../carillon.js';
import type { System } from '../../types/operations.js';
import type { Schedule } from '../../types/schedule.js';
import type { LedgerEntry } from '../../types/time.js';
import { command, type Output } from '../command.js';
import { readCount } from '../schedule-options.js';
import { table } from '../table.js';
import { lookOf, withoutControls } from '../terminal.js';
import { readOptionalTime, readShort, shortTime, timeFromNow } from '../times.js';
import { pauseText } from './show-schedule.js';

export const why = command({
  name: 'why',
  summary: 'Explain why a schedule fired or did not',
  details: 'Lists past occurrences with their results, latest last, and the present status of the schedule.',
  usage: '<schedule>',
  words: { least: 1, most: 1 },
  options: {
    last: { type: 'string', value: '<duration>', about: 'range to look back, such as 24h or 7d' },
    from: { type: 'string', value: '<time>', about: 'start of the range' },
    to: { type: 'string', value: '<time>', about: 'end of the range (default now)' },
    limit: {
      type: 'string',
      short: 'n',
      value: '<count>',
      about: 'maximum number of occurrences (default 20)',
    },
    steps: { type: 'boolean', about: 'list every step of each occurrence with its time' },
  },
  examples: [
    'carillon why standup',
    'carillon why standup --last 7d',
    'carillon why standup -n 1 --steps',
    'carillon why standup --from 2026-11-16T08:00:00Z --to 2026-11-16T10:00:00Z',
  ],
  async run({ values, positionals, client, terminal }): Promise<Output> {
    const [id = ''] = positionals;
    const nowAt = Date.now();
    const limit = readCount(values.limit, 'limit') ?? 20;
    const [schedule, system] = await Promise.all([client.schedules.get(id), client.system()]);
    const to = readOptionalTime(values.to, nowAt) ?? new Date(nowAt).toISOString();
    const back =
      values.last === undefined ? undefined : new Date(nowAt - readShort(values.last, 'last')).toISOString();
    const from = readOptionalTime(values.from, nowAt) ?? back;
    const entries = await latestEntries(client, id, { from: from ?? beginningOf(schedule, to), to, limit });
    const verdict = verdictOf(schedule, system, nowAt);
    const since = from === undefined ? 'so far' : `between ${shortTime(from)} and ${shortTime(to)}`;
    const shown =
      entries.length === 0
        ? `No occurrences ${since}.`
        : table(
            ['OCCURRENCE', 'STATUS', 'WHY'],
            entries.flatMap(values.steps ? withSteps : oneRow),
            terminal,
          );
    return { json: { verdict, entries }, text: `${verdict.map(withoutControls).join('\n')}\n\n${shown}` };
  },
});

/** The status of the schedule, and anything that keeps runs from starting. */
function verdictOf(
  { id, status, pause, nextRunAt, runsTotal, maxRuns }: Schedule,
  system: System,
  nowAt: number,
): string[] {
  const verdict: string[] = [];
  if (status === 'paused')
    verdict.push(`${id} is paused${pause ? ` ${pauseText(pause)}` : ''}. Nothing fires until it is resumed.`);
  if (status === 'cancelled') verdict.push(`${id} was cancelled. It will not fire again.`);
  if (status === 'finished') {
    const limit =
      maxRuns !== null && runsTotal >= maxRuns
        ? `has completed its ${maxRuns} runs`
        : 'has no further occurrences';
    verdict.push(`${id} is finished: it ${limit}.`);
  }
  if (status === 'active') verdict.push(`${id} is active, due ${timeFromNow(nextRunAt, nowAt)}.`);
  if (system.workers.alive === 0)
    verdict.push('No worker is alive. Due runs wait until a worker is started.');
  else if (system.redis !== 'up')
    verdict.push('Redis takes no writes. The sweep finds due runs some seconds late.');
  return verdict;
}

/**
 * The instant from which occurrences are listed. It is the creation of the schedule, unless `to` or the instant of a
 * one-shot is earlier.
 */
function beginningOf({ createdAt, rule }: Schedule, to: string): string {
  const named = rule.at === undefined ? Number.NaN : Date.parse(rule.at);
  const ats = [Date.parse(createdAt), Date.parse(to), named].filter((at) => !Number.isNaN(at));
  return new Date(Math.min(...ats)).toISOString();
}

/** Reads the latest `limit` entries of the ledger (what became of each occurrence) in a range, in ascending order. */
async function latestEntries(
  client: Carillon,
  id: string,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<LedgerEntry[]> {
  const latest: LedgerEntry[] = [];
  const query = { from, to, order: 'desc' as const, limit: Math.min(limit, 1_000) };
  for await (const { items } of client.schedules.ledger(id, query).pages()) {
    latest.push(...items);
    if (latest.length >= limit) break;
  }
  return latest.slice(0, limit).toReversed();
}

const oneRow = (entry: LedgerEntry) => [rowOf(entry)];

/** A row for the occurrence, and below it a row for each of its steps. */
const withSteps = (entry: LedgerEntry) => [
  rowOf(entry),
  ...entry.story.map(({ at, until, text }) => [
    '',
    '',
    `${at}  ${text}${until === null ? '' : `, until ${until}`}`,
  ]),
];

const rowOf = ({ local, until, count, status, why, remark }: LedgerEntry) => [
  count === 1 || until === null
    ? shortTime(local)
    : `${shortTime(local)}, and ${count - 1} more until ${shortTime(until)}`,
  { text: status, look: lookOf(status) },
  remark === null ? why : `${why} (${remark})`,
];
