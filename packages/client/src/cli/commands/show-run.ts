import type { Attempt, RunWithAttempts } from '../../types/run.js';
import { command, type Output } from '../command.js';
import { type Cell, fields, table } from '../table.js';
import { lookOf } from '../terminal.js';
import { inWords, shortTime } from '../times.js';

export const showRun = command({
  name: 'show',
  summary: 'Show a run with its attempts and responses',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: {},
  examples: ['carillon runs show run_r2s_mi1k8qo0'],
  async run({ positionals, client, terminal }): Promise<Output> {
    const [id = ''] = positionals;
    const run = await client.runs.get(id);
    const parts = [fields(fieldsOf(run), terminal.style)];
    if (run.attempts.length > 0) {
      const titles = ['ATTEMPT', 'OUTCOME', 'STARTED', 'TOOK', 'HTTP', 'RESPONSE'];
      parts.push(table(titles, run.attempts.map(rowOf), terminal));
    }
    return { json: run, text: parts.join('\n\n') };
  },
});

const fieldsOf = (run: RunWithAttempts): [string, Cell | null][] => [
  ['id', run.id],
  ['schedule', `${run.scheduleId}, version ${run.scheduleVersion}`],
  ['status', { text: run.status, look: lookOf(run.status) }],
  ['reason', run.reason],
  ['error', run.lastError],
  ['origin', run.origin],
  ['occurrence', shortTime(run.occurrenceAt)],
  ['due', run.dueAt === run.occurrenceAt ? null : shortTime(run.dueAt)],
  ['claimed', run.claimedAt && `${shortTime(run.claimedAt)} by worker ${run.claimedBy ?? '?'}`],
  ['late', run.latenessMs === null ? null : inWords(run.latenessMs)],
  ['finished', run.finishedAt && shortTime(run.finishedAt)],
  ['took', run.durationMs === null ? null : inWords(run.durationMs)],
  ['next attempt', run.nextRetryAt && shortTime(run.nextRetryAt)],
  ['external id', run.externalId],
  ['progress', run.progress == null ? null : JSON.stringify(run.progress)],
  ['replays', run.replays === 0 ? null : String(run.replays)],
];

const resultText = ({ result, resultError }: Attempt) =>
  resultError ?? (result === null ? '' : JSON.stringify(result));

const rowOf = (attempt: Attempt) => [
  String(attempt.number),
  { text: attempt.outcome, look: lookOf(attempt.outcome) },
  attempt.startedAt === null ? '–' : shortTime(attempt.startedAt),
  attempt.durationMs === null ? '–' : inWords(attempt.durationMs),
  attempt.httpStatus === null ? '–' : String(attempt.httpStatus),
  attempt.error ?? attempt.response ?? resultText(attempt),
];
