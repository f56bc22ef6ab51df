import type { BulkAction } from '../../types/bulk.js';
import { command, type Output } from '../command.js';
import { table } from '../table.js';
import { readOptionalTime } from '../times.js';
import { UsageError } from '../usage-error.js';
import { FILTER_OPTIONS, readFilter } from './filter-options.js';

export const actOnMany = command({
  name: 'act',
  summary: 'Do the same to all schedules that match',
  details: 'Pause, resume, cancel, trigger, skip-next, reschedule (--at) or backfill (--from, --to).',
  usage: '<action>',
  words: { least: 1, most: 1 },
  options: {
    ...FILTER_OPTIONS,
    'dry-run': { type: 'boolean', about: 'only count' },
    everything: { type: 'boolean', about: 'without a filter: all schedules of the project' },
    note: { type: 'string', value: '<text>', about: 'why, for pause' },
    until: { type: 'string', value: '<time>', about: 'until when, for pause' },
    at: { type: 'string', value: '<time>', about: 'when instead, for reschedule' },
    from: { type: 'string', value: '<time>', about: 'the beginning, for backfill' },
    to: { type: 'string', value: '<time>', about: 'the end, for backfill' },
  },
  examples: [
    'carillon schedules act pause --tag billing --dry-run',
    'carillon schedules act pause --tag billing --note "incident 7"',
  ],
  async run({ values, positionals, client, terminal }): Promise<Output> {
    const nowAt = Date.now();
    const filter = readFilter(values, nowAt);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    if (!isFiltered && !values.everything) throw new UsageError('on which? Give a filter, or --everything');
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
    let answer = await client.schedules.act(action);
    const done = { ...answer, refusals: [...answer.refusals] };
    // One call changes so many at the most; a person means all of them.
    while (answer.nextCursor !== null) {
      answer = await client.schedules.act({ ...action, cursor: answer.nextCursor });
      done.matched += answer.matched;
      done.changed += answer.changed;
      done.refused += answer.refused;
      done.refusals.push(...answer.refusals);
    }
    const json = { ...done, nextCursor: null };
    if (action.dryRun) return { json, text: `${done.matched} would be changed` };
    const said = `${done.changed} of ${done.matched} changed`;
    if (done.refused === 0) return { json, text: said };
    const rows = done.refusals.map(({ id, reason }) => [id, reason]);
    return { json, text: `${said}, ${done.refused} refused\n\n${table(['ID', 'WHY NOT'], rows, terminal)}` };
  },
});
