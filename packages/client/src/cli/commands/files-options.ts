import type { Options } from '../command.js';
import type { Environment } from '../config.js';
import type { ReadFiles } from '../files/read-schedule-files.js';
import { UsageError } from '../usage-error.js';

/** Options of `plan` and `apply`. */
export const FILES_OPTIONS = {
  file: {
    type: 'string',
    short: 'f',
    value: '<path>',
    multiple: true,
    about: 'a YAML or JSON file, or a folder of them; - is standard input',
  },
  prune: { type: 'boolean', about: 'cancel schedules of the set that are in none of the files' },
  'take-over': { type: 'boolean', about: 'also take schedules that belong to another set' },
} as const satisfies Options;

export async function readFilesOption(
  paths: readonly string[] | undefined,
  env: Environment,
): Promise<ReadFiles> {
  if (paths === undefined || paths.length === 0) throw new UsageError('missing file; use -f schedules.yaml');
  const { readScheduleFiles } = await import('../files/read-schedule-files.js');
  return readScheduleFiles(paths, env);
}
