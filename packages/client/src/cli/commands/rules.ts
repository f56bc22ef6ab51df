import { command, group, type Output } from '../command.js';
import { LIST_OPTIONS, moreNote, pageQuery, readList } from '../list-options.js';
import { readCount } from '../schedule-options.js';
import { table } from '../table.js';
import { withoutControls } from '../terminal.js';
import { readDuration, readOptionalTime, shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';

const preview = command({
  name: 'preview',
  summary: 'Show a rule in words and its next occurrences, without saving it',
  usage: '["<cron>"]',
  words: { least: 0, most: 1 },
  options: {
    every: { type: 'string', value: '<duration>', about: 'interval rule instead of cron, such as 15m' },
    rrule: { type: 'string', value: '<rule>', about: 'RFC 5545 rule instead of cron' },
    tz: { type: 'string', value: '<zone>', about: 'time zone (default UTC)' },
    from: { type: 'string', value: '<time>', about: 'start time (default now)' },
    limit: { type: 'string', short: 'n', value: '<count>', about: 'number of occurrences (default 10)' },
    gap: {
      type: 'string',
      value: '<policy>',
      about: 'policy for local times that a DST change skips: shift or skip',
    },
    overlap: {
      type: 'string',
      value: '<policy>',
      about: 'policy for local times that occur twice: first, second or both',
    },
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
      limit: readCount(values.limit, 'limit'),
      // The API validates the policies.
      dst: gap || overlap ? ({ gap, overlap } as { gap?: 'shift'; overlap?: 'first' }) : undefined,
    });
    const rows = answer.occurrences.map(({ at, local, remark }) => [
      shortTime(local),
      shortTime(at),
      remark ?? '',
    ]);
    const notes = answer.warnings.map(withoutControls);
    return {
      json: answer,
      text: `${answer.text}\n\n${table(['LOCAL', 'UTC', 'REMARK'], rows, terminal)}`,
      notes,
    };
  },
});

const lint = command({
  name: 'lint',
  summary: 'List schedules that a DST change affects in the next year',
  usage: '',
  words: { least: 0, most: 0 },
  options: LIST_OPTIONS,
  examples: ['carillon rules lint', 'carillon rules lint --all --json'],
  async run({ values, client, terminal }): Promise<Output> {
    const affected = await readList(client.rules.lint(pageQuery(values)), values);
    const rows = affected.items.flatMap(({ schedule, timezone, changes }) =>
      changes.map(({ local, kind, effect }) => [schedule, timezone, shortTime(local), kind, effect]),
    );
    const text =
      rows.length === 0
        ? 'No schedule has an occurrence in a gap or an overlap.'
        : table(['SCHEDULE', 'ZONE', 'LOCAL', 'KIND', 'EFFECT'], rows, terminal);
    return { json: affected, text, notes: moreNote(affected) };
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
  summary: 'Preview rules, and find those that a clock change affects',
  commands: [preview, lint],
  examples: ['carillon rules preview "0 9 * * 1-5" --tz Asia/Tokyo'],
});
