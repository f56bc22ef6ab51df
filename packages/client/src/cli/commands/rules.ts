import { command, group, type Output } from '../command.js';
import { count } from '../schedule-options.js';
import { table } from '../table.js';
import { harmless } from '../terminal.js';
import { readDuration, readOptionalTime, shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';

const preview = command({
  name: 'preview',
  summary: 'Say in words what a rule means, and when it is due; saves nothing',
  usage: '["<cron>"]',
  words: { least: 0, most: 1 },
  options: {
    every: { type: 'string', value: '<length>', about: 'instead of cron: at intervals, such as 15m' },
    rrule: { type: 'string', value: '<rule>', about: 'instead of cron: by RFC 5545' },
    tz: { type: 'string', value: '<zone>', about: 'the time zone; UTC unless said' },
    from: { type: 'string', value: '<time>', about: 'begin there; now unless said' },
    limit: { type: 'string', short: 'n', value: '<count>', about: 'so many; 10 unless said' },
    gap: { type: 'string', value: '<policy>', about: 'a time that clocks leave out: shift or skip' },
    overlap: { type: 'string', value: '<policy>', about: 'a time that comes twice: first, second or both' },
  },
  examples: [
    'carillon rules preview "0 9 * * 1-5" --tz Asia/Tokyo',
    'carillon rules preview "30 2 * * *" --tz Europe/Berlin --from 2027-03-27T00:00:00Z -n 3',
    'carillon rules preview --rrule "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17" --tz America/New_York',
  ],
  async run({ values, positionals, client, terminal }): Promise<Output> {
    const { gap, overlap } = values;
    const answer = await client.rules.preview({
      rule: readRule({ ...values, cron: positionals[0] }),
      timezone: values.tz,
      from: readOptionalTime(values.from, Date.now()),
      limit: count(values.limit, 'limit'),
      // Which policies there are is for the API to say.
      dst: gap || overlap ? ({ gap, overlap } as { gap?: 'shift'; overlap?: 'first' }) : undefined,
    });
    const rows = answer.occurrences.map(({ at, local, remark }) => [
      shortTime(local),
      shortTime(at),
      remark ?? '',
    ]);
    const notes = answer.warnings.map(harmless);
    return {
      json: answer,
      text: `${answer.text}\n\n${table(['LOCAL', 'UTC', 'REMARK'], rows, terminal)}`,
      notes,
    };
  },
});

function readRule({ cron, every, rrule }: { cron?: string | undefined; every?: string; rrule?: string }) {
  if ([cron, every, rrule].filter((each) => each !== undefined).length !== 1) {
    throw new UsageError('expected one rule: cron fields in quotes, --every or --rrule');
  }
  return { cron, every: every && readDuration(every), rrule: rrule?.replaceAll('\\n', '\n') };
}

export const rules = group({
  name: 'rules',
  summary: 'Try rules before they are used',
  commands: [preview],
  examples: ['carillon rules preview "0 9 * * 1-5" --tz Asia/Tokyo'],
});
