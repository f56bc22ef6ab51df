import { stringify } from 'yaml';
import type { ScheduleInput } from '../../types/schedule.js';

export interface WrittenFile {
  set: string | null;
  schedules: readonly (ScheduleInput & { id: string })[];
}

export type FileFormat = 'yaml' | 'json';

const HEAD = `# Schedules of Carillon. \`carillon plan -f <this file>\` shows what it would change, \`carillon apply\` does it.
# \`carillon schema\` prints the JSON schema of this file, for editors.
`;

/** Writes schedules as a file for `carillon plan` and `carillon apply`. */
export function writeScheduleFile({ set, schedules }: WrittenFile, format: FileFormat): string {
  const file = { ...(set === null ? {} : { set }), schedules };
  if (format === 'json') return `${JSON.stringify(file, null, 2)}\n`;
  // The file has no YAML aliases, which are hard to edit, and long texts are not wrapped.
  return HEAD + stringify(file, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** The format of an output file by its name. YAML unless the name ends in .json. */
export const formatOf = (path: string): FileFormat => (/\.json$/i.test(path) ? 'json' : 'yaml');
