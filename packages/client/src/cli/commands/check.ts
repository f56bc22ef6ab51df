import type { OccurrenceDifference } from '../../types/time.js';
import { command, type Output } from '../command.js';
import { EXIT } from '../exit-code.js';
import { table } from '../table.js';
import { lookOf } from '../terminal.js';
import { readOptionalTime, readShort, shortTime } from '../times.js';

export const check = command({
  name: 'check',
  summary: 'Compare the occurrences that rules named with the runs that exist',
  details:
    'Every occurrence that a rule named must have a run or lie in a gap. Lists the differences and exits with 1 if there are any. Needs a key with the scope admin.',
  usage: '[<schedule>]',
  words: { least: 0, most: 1 },
  options: {
    last: {
      type: 'string',
      value: '<duration>',
      about: 'range to look back, such as 24h or 7d (default 24h)',
    },
    from: { type: 'string', value: '<time>', about: 'start of the range' },
    to: { type: 'string', value: '<time>', about: 'end of the range (default now)' },
  },
  examples: [
    'carillon check',
    'carillon check --last 7d',
    'carillon check standup --from 2026-11-16T08:00:00Z',
  ],
  async run({ values, positionals: [schedule], client, terminal }): Promise<Output> {
    const nowAt = Date.now();
    const back =
      values.last === undefined ? undefined : new Date(nowAt - readShort(values.last, 'last')).toISOString();
    const from = readOptionalTime(values.from, nowAt) ?? back;
    // The end is fixed, so that all pages compare the same window.
    const to = readOptionalTime(values.to, nowAt) ?? new Date(nowAt).toISOString();
    const differences: OccurrenceDifference[] = [];
    const compared = { schedules: 0, occurrences: 0 };
    for await (const page of client.auditOccurrences({ from, to, schedule }).pages()) {
      differences.push(...page.items);
      compared.schedules += page.schedules;
      compared.occurrences += page.occurrences;
    }
    const counted = `${compared.occurrences} occurrences of ${compared.schedules} schedules`;
    const text =
      differences.length === 0
        ? `${counted} compared: each has its run or lies in a gap.`
        : `${counted} compared; these differ:\n\n${table(['SCHEDULE', 'KIND', 'FROM', 'TO', 'COUNT', 'WHAT'], differences.map(rowOf), terminal)}`;
    const exitCode = differences.length === 0 ? EXIT.ok : EXIT.failed;
    return { json: { ...compared, differences }, text, exitCode };
  },
});

const rowOf = ({ scheduleId, kind, from, to, count, message }: OccurrenceDifference) => [
  scheduleId,
  { text: kind, look: lookOf('failed') },
  shortTime(from),
  shortTime(to),
  String(count),
  message,
];
