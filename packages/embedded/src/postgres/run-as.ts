import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { StartError } from '../start-error.js';

/** A way to run Postgres as somebody whom it accepts. */
export interface RunAs {
  /** For people: "as nobody". */
  how: string;
  /** Put before the command; empty when it runs as it is. */
  prefix: string[];
  uid?: number;
  gid?: number;
}

const AS_WE_ARE: RunAs = { how: 'as this user', prefix: [] };

/**
 * A user namespace in which root appears as user 1000. On disk the files stay root's, so it works below folders that
 * nobody else may enter, which a change of user does not. Containers often forbid it.
 */
const IN_NAMESPACE: RunAs = {
  how: 'in a user namespace',
  prefix: ['unshare', '-U', '--map-user=1000', '--map-group=1000', '--'],
};

function isRoot(): boolean {
  return platform() !== 'win32' && process.getuid?.() === 0;
}

/** The ways to make a new cluster, best first. Postgres refuses to run as root, so root has to try. */
export function waysToRunNewCluster(): RunAs[] {
  if (!isRoot()) return [AS_WE_ARE];
  const nobody = asNobody();
  return nobody ? [IN_NAMESPACE, nobody] : [IN_NAMESPACE];
}

/** How to run a cluster that exists: as the owner of its files, whom Postgres insists on. */
export async function wayToRunCluster(dataDir: string): Promise<RunAs> {
  const owner = await stat(dataDir);
  if (!isRoot()) {
    if (platform() !== 'win32' && owner.uid !== process.getuid?.()) {
      throw new StartError(
        `${dataDir} belongs to user ${owner.uid}: start as that user, or set CARILLON_HOME to another folder`,
      );
    }
    return AS_WE_ARE;
  }
  if (owner.uid !== 0) return { how: `as user ${owner.uid}`, prefix: [], uid: owner.uid, gid: owner.gid };
  return worksHere(IN_NAMESPACE) ? IN_NAMESPACE : handToNobody(dataDir);
}

function worksHere({ prefix: [command = '', ...args] }: RunAs): boolean {
  return spawnSync(command, [...args, 'true']).status === 0;
}

/** For a cluster that was made in a user namespace on a machine, or by a container, that allowed them. */
async function handToNobody(dataDir: string): Promise<RunAs> {
  const nobody = asNobody();
  if (!nobody)
    throw new StartError('Postgres refuses to run as root: start as another user, or set DATABASE_URL');
  execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, dataDir]);
  await chmod(dirname(dataDir), 0o711);
  return nobody;
}

function asNobody(): RunAs | null {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
    return { how: 'as nobody', prefix: [], uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
}

export function commandAs(runAs: RunAs, command: string, args: string[]): [string, string[]] {
  const [first = command, ...rest] = [...runAs.prefix, command, ...args];
  return [first, rest];
}
