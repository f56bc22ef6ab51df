import { readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

interface Link {
  /** The file, and the other name that the binaries look it up by. Both are relative to the package. */
  source: string;
  target: string;
}

/**
 * Makes the symbolic links between the shared libraries of the embedded Postgres, which a package of npm cannot hold. The
 * install script of that package makes them too, but pnpm and later versions of npm run no script that the user has not approved.
 */
export function linkLibraries(packageFolder: string): void {
  for (const { source, target } of readLinks(packageFolder)) {
    const link = join(packageFolder, target);
    try {
      symlinkSync(relative(dirname(link), join(packageFolder, source)), link);
    } catch {
      // The link exists, or the folder is read-only. If a library is missing then, Postgres names it.
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
