import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** True if a program is on PATH. */
export function hasProgram(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}
