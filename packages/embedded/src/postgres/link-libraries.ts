import { readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

interface Link {
  /** The file, and the other name that the binaries look it up by. Both are relative to the package. */
  source: string;
  target: string;
}

/**
 * Makes the symbolic links by which the embedded Postgres finds its shared libraries. An npm package cannot contain
 * links. The install script of the package makes them too, but pnpm and newer versions of npm run an install script
 * only if the user has approved it.
 */
export function linkLibraries(packageFolder: string): void {
  for (const { source, target } of readLinks(packageFolder)) {
    const link = join(packageFolder, target);
    try {
      symlinkSync(relative(dirname(link), join(packageFolder, source)), link);
    } catch {
      // The link exists already, or the folder is read-only. If a library is missing, Postgres names it when it starts.
    }
  }
}

function readLinks(packageFolder: string): Link[] {
  try {
    return JSON.parse(readFileSync(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8'));
  } catch {
    return [];
  }
}
