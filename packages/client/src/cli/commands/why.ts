import type { Carillon } from '../../carillon.js';
import type { System } from '../../types/operations.js';
import type { Schedule } from '../../types/schedule.js';
import type { LedgerEntry } from '../../types/time.js';
import { command, type Output } from '../command.js';
import { count } from '../schedule-options.js';
import { table } from '../table.js';
import { harmless, lookOf } from '../terminal.js';
import { readOptionalTime, readShort, shortTime, timeFromNow } from '../times.js';
import { pauseText } from './show-schedule.js';

const HOUR_MS = 3_600_000;
/** How far to look back, until enough was found: the ledger begins with the oldest, and a rule may name each second. */
const LOOKS_MS = [HOUR_MS, 24 * HOUR_MS, 30 * 24 * HOUR_MS, 366 * 24 * HOUR_MS];

export const why = command({
  name: 'why',
  summary: 'Say why a schedule fired or did not',
  details:
    'Each occurrence that its rule named and what became of it, latest last, and how the schedule stands now.',
  usage: '<schedule>',
  words: { least: 1, most: 1 },
  options: {
    last: { type: 'string', value: '<length>', about: 'look back so far, such as 24h or 7d' },
    from: { type: 'string', value: '<time>', about: 'from then on' },
    to: { type: 'string', value: '<time>', about: 'until then; now unless said' },
    limit: { type: 'string', short: 'n', value: '<count>', about: 'so many at the most; 20 unless said' },
  },
  examples: [
    'carillon why standup',
    'carillon why standup --last 7d',
    'carillon why standup --from 2026-11-16T08:00:00Z --to 2026-11-16T10:00:00Z',
  ],
  async run({ values, positionals, client, terminal }): Promise<Output> {
    const [id = ''] = positionals;
    const nowAt = Date.now();
    const limit = count(values.limit, 'limit') ?? 20;
    const [schedule, system] = await Promise.all([client.schedules.get(id), client.system()]);
    const to = readOptionalTime(values.to, nowAt) ?? new Date(nowAt).toISOString();
    const back =
      values.last === undefined ? undefined : new Date(nowAt - readShort(values.last, 'last')).toISOString();
    const from = readOptionalTime(values.from, nowAt) ?? back;
    const entries =
      from === undefined
        ? await latestEntries(client, schedule, { to, limit })
        : await lastOf(client, id, { from, to, limit });
    const verdict = verdictOf(schedule, system, nowAt);
    const since = from === undefined ? 'so far' : `between ${shortTime(from)} and ${shortTime(to)}`;
    const shown =
      entries.length === 0
        ? `Its rule named no time ${since}.`
        : table(['OCCURRENCE', 'STATUS', 'WHY'], entries.map(rowOf), terminal);
    return { json: { verdict, entries }, text: `${verdict.map(harmless).join('\n')}\n\n${shown}` };
  },
});

/** How it stands, and what keeps it or everything from running. */
function verdictOf(
  { id, status, pause, nextRunAt, runsTotal, maxRuns }: Schedule,
  system: System,
  nowAt: number,
): string[] {
  const verdict: string[] = [];
  if (status === 'paused')
    verdict.push(`${id} is paused${pause ? ` ${pauseText(pause)}` : ''}. Nothing fires until it is resumed.`);
  if (status === 'cancelled') verdict.push(`${id} was cancelled. It does not fire any more.`);
  if (status === 'finished') {
    const limit =
      maxRuns !== null && runsTotal >= maxRuns ? `has had its ${maxRuns} runs` : 'has nothing left to fire';
    verdict.push(`${id} is finished: it ${limit}.`);
  }
  if (status === 'active') verdict.push(`${id} is active, due ${timeFromNow(nextRunAt, nowAt)}.`);
  if (system.workers.alive === 0)
    verdict.push('No worker is alive: whatever is due waits until one is started.');
  else if (system.redis === 'down')
    verdict.push('Redis is away: what is due is found by the sweep, some seconds late.');
  return verdict;
}

async function latestEntries(
  client: Carillon,
  { id, createdAt, rule }: Schedule,
  { to, limit }: { to: string; limit: number },
): Promise<LedgerEntry[]> {
  const toAt = Date.parse(to);
  // An `at` may lie before the schedule was made, and still be what it is about.
  const named = rule.at === undefined ? Number.NaN : Date.parse(rule.at);
  const beganAt = Math.min(Date.parse(createdAt), Number.isNaN(named) ? toAt : named);
  let entries: LedgerEntry[] = [];
  for (const lookMs of LOOKS_MS) {
    const fromAt = toAt - lookMs;
    entries = await lastOf(client, id, { from: new Date(fromAt).toISOString(), to, limit });
    if (entries.length >= limit || fromAt < beganAt) break;
  }
  return entries;
}

async function lastOf(
  client: Carillon,
  id: string,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<LedgerEntry[]> {
  let last: LedgerEntry[] = [];
  for await (const { items } of client.schedules.ledger(id, { from, to, limit: 1_000 }).pages()) {
    last = [...last, ...items].slice(-limit);
  }
  return last;
}

const rowOf = ({ local, until, count, status, why, remark }: LedgerEntry) => [
  count === 1 || until === null
    ? shortTime(local)
    : `${shortTime(local)}, and ${count - 1} more until ${shortTime(until)}`,
  { text: status, look: lookOf(status) },
  remark === null ? why : `${why} (${remark})`,
];
