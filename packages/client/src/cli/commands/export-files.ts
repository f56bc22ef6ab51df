import { writeFileSync } from 'node:fs';
import type { Carillon } from '../../carillon.js';
import type { Schedule } from '../../types/schedule.js';
import { command, type Output } from '../command.js';
import { UsageError } from '../usage-error.js';

const SCHEDULES_PER_PAGE = 1_000;

export const exportFiles = command({
  name: 'export',
  summary: 'Write schedules as a file for carillon plan and carillon apply',
  details: `Writes the active and paused schedules of one set, or the ones that belong to no set. Secrets and values of headers are not
written; a redacted header keeps its stored value when the file is applied to the same project.`,
  usage: '',
  words: { least: 0, most: 0 },
  options: {
    set: { type: 'string', value: '<name>', about: 'only the schedules of this set' },
    tag: { type: 'string', value: '<tag>', about: 'only schedules with this tag' },
    output: { type: 'string', short: 'o', value: '<path>', about: 'write to this file instead of printing' },
    format: {
      type: 'string',
      value: '<format>',
      about: 'yaml or json (default: by the name of the file, else yaml)',
    },
  },
  examples: ['carillon export --set billing -o billing.yaml', 'carillon export --tag reports --format json'],
  async run({ values, client, isJson }): Promise<Output> {
    const { set, tag, output } = values;
    if (set !== undefined && tag !== undefined) throw new UsageError('expected --set or --tag, not both');
    const [{ exportSchedules }, { formatOf, writeScheduleFile }, { setTag }] = await Promise.all([
      import('../files/export-schedules.js'),
      import('../files/write-schedule-file.js'),
      import('@carillon/shared'),
    ]);
    const schedulesInForce = await readLive(client, set === undefined ? tag : setTag(set));
    const { schedules, notes } = exportSchedules(schedulesInForce, set ?? null);
    const format = values.format ?? (isJson ? 'json' : formatOf(output ?? ''));
    if (format !== 'yaml' && format !== 'json')
      throw new UsageError(`--format ${format}: expected yaml or json`);
    const file = { ...(set === undefined ? {} : { set }), schedules };
    const text = writeScheduleFile({ set: set ?? null, schedules }, format);
    if (output === undefined) return { json: file, text: text.trimEnd(), notes };
    writeFileSync(output, text);
    return {
      json: { output, schedules: schedules.length },
      text: `${output}: ${schedules.length} schedules`,
      notes,
    };
  },
});

/** Active and paused schedules, oldest first. */
async function readLive(client: Carillon, tag: string | undefined): Promise<Schedule[]> {
  const newestFirst: Schedule[] = [];
  for await (const schedule of client.schedules.list({ tag, limit: SCHEDULES_PER_PAGE }))
    if (schedule.status === 'active' || schedule.status === 'paused') newestFirst.push(schedule);
  return newestFirst.reverse();
}
