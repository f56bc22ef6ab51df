import type { Carillon } from '../../carillon.js';
import { pauseFor } from '../../transport/pause-for.js';
import type { BulkAction, BulkActionAnswer } from '../../types/bulk.js';
import { command, type Output } from '../command.js';
import { EXIT } from '../exit-code.js';
import { table } from '../table.js';
import { readOptionalTime } from '../times.js';
import { UsageError } from '../usage-error.js';
import { FILTER_OPTIONS, readFilter } from './filter-options.js';

export const actOnMany = command({
  name: 'act',
  summary: 'Apply one action to all schedules that match a filter',
  details: 'Actions: pause, resume, cancel, trigger, skip-next, reschedule (--at), backfill (--from, --to).',
  usage: '<action>',
  words: { least: 1, most: 1 },
  options: {
    ...FILTER_OPTIONS,
    'dry-run': { type: 'boolean', about: 'change nothing; count the matches and show examples' },
    everything: { type: 'boolean', about: 'required without a filter: all schedules of the project' },
    note: { type: 'string', value: '<text>', about: 'for pause: the reason' },
    until: { type: 'string', value: '<time>', about: 'for pause: resume at this time' },
    at: { type: 'string', value: '<time>', about: 'for reschedule: the new time' },
    from: { type: 'string', value: '<time>', about: 'for backfill: start of the range' },
    to: { type: 'string', value: '<time>', about: 'for backfill: end of the range' },
  },
  examples: [
    'carillon schedules act pause --tag billing --dry-run',
    'carillon schedules act pause --tag billing --note "incident 7"',
  ],
  async run({ values, positionals, client, terminal }): Promise<Output> {
    const nowAt = Date.now();
    const filter = readFilter(values, nowAt);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    if (!isFiltered && !values.everything)
      throw new UsageError('missing filter; use a filter option or --everything');
    const action: BulkAction = {
      action: positionals[0] as BulkAction['action'],
      filter,
      dryRun: values['dry-run'] ?? false,
      note: values.note,
      until: readOptionalTime(values.until, nowAt),
      at: readOptionalTime(values.at, nowAt),
      from: readOptionalTime(values.from, nowAt),
      to: readOptionalTime(values.to, nowAt),
    };
    const answer = await client.schedules.act(action);
    if (action.dryRun) return { json: answer, text: dryRunText(answer) };
    const done = await untilEnded(client, answer);
    const summary = `${done.changed} of ${done.matched} changed`;
    const isWhole = done.status === 'done';
    const rows = done.refusals.map(({ id, reason }) => [id, reason]);
    return {
      json: { ...answer, ...done },
      text:
        done.refused === 0
          ? summary
          : `${summary}, ${done.refused} refused\n\n${table(['ID', 'REASON'], rows, terminal)}`,
      notes: isWhole ? [] : [done.error ?? `The action ${done.id} was interrupted. Run the command again.`],
      exitCode: isWhole ? EXIT.ok : EXIT.failed,
    };
  },
});

const POLL_INTERVAL_MS = 500;

/** Polls an action until it has ended, because the API answers before a long action has ended. */
async function untilEnded(
  client: Carillon,
  answer: BulkActionAnswer,
): Promise<BulkActionAnswer & { error?: string | null }> {
  let done: BulkActionAnswer & { error?: string | null } = answer;
  while (done.status === 'running' && answer.id !== null) {
    await pauseFor(POLL_INTERVAL_MS, undefined);
    done = { ...answer, ...(await client.schedules.action(answer.id)) };
  }
  return done;
}

function dryRunText({ matched, preview }: BulkActionAnswer): string {
  const summary = `${matched}${preview && !preview.complete ? ' or more' : ''} would be changed`;
  if (preview === null || preview.examples.length === 0) return summary;
  const { fires, complete } = preview.next24h;
  const names = preview.examples.map(({ id }) => id).join(', ');
  const more = matched > preview.examples.length ? ', …' : '';
  return `${summary}: ${names}${more}\nThey fire ${complete ? '' : 'at least '}${fires} times in the next 24 hours.`;
}
