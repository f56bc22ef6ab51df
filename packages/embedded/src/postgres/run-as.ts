import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { StartError } from '../start-error.js';

/** A way to run Postgres as a user other than root. */
export interface RunAs {
  /** A description for messages, such as "as nobody". */
  how: string;
  /** A command prefix that changes the user. If it is empty, the command is started as `user`. */
  prefix: string[];
  /** The owner of the cluster's files, if it is not the current user. */
  user?: User;
}

export interface User {
  uid: number;
  gid: number;
}

export const AS_CURRENT_USER: RunAs = { how: 'as this user', prefix: [] };

/**
 * Runs a command in a user namespace, in which root appears as user 1000. On disk the files still belong to root, so
 * this works below folders that only root may enter. Containers often forbid user namespaces.
 */
const IN_NAMESPACE: RunAs = {
  how: 'in a user namespace',
  prefix: ['unshare', '-U', '--map-user=1000', '--map-group=1000', '--'],
};

function isRoot(): boolean {
  return platform() !== 'win32' && process.getuid?.() === 0;
}

/**
 * The ways to run a new cluster, best first. Postgres refuses to run as root, so root has to try several other users.
 * `folders` are the folders that Postgres must be able to enter.
 */
export function waysToRunNewCluster(folders: readonly string[]): RunAs[] {
  if (!isRoot()) return [AS_CURRENT_USER];
  const nobody = findNobody();
  return nobody ? [IN_NAMESPACE, asUser(nobody, 'nobody', folders)] : [IN_NAMESPACE];
}

/** The way to run an existing cluster: as the owner of its files, which Postgres requires. */
export async function wayToRunCluster(dataDir: string, folders: readonly string[]): Promise<RunAs> {
  const owner = await stat(dataDir);
  if (!isRoot()) {
    if (platform() !== 'win32' && owner.uid !== process.getuid?.()) {
      throw new StartError(
        `${dataDir} belongs to user ${owner.uid}: start as that user, or set CARILLON_HOME to another folder`,
      );
    }
    return AS_CURRENT_USER;
  }
  if (owner.uid !== 0) return asUser(owner, `user ${owner.uid}`, folders);
  return worksHere(IN_NAMESPACE) ? IN_NAMESPACE : handToNobody(dataDir, folders);
}

function worksHere({ prefix: [command = '', ...args] }: RunAs): boolean {
  return spawnSync(command, [...args, 'true']).status === 0;
}

/**
 * Gives the files of a cluster to the user `nobody`, and returns how to run the cluster as that user. A cluster that was
 * created in a user namespace belongs to root. Without user namespaces, for example in another container, Postgres
 * refuses to run as root.
 */
async function handToNobody(dataDir: string, folders: readonly string[]): Promise<RunAs> {
  const nobody = findNobody();
  if (!nobody)
    throw new StartError('Postgres refuses to run as root: start as another user, or set DATABASE_URL');
  execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, dataDir]);
  await chmod(dirname(dataDir), 0o711);
  return asUser(nobody, 'nobody', folders);
}

function findNobody(): User | null {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
}

/**
 * Runs Postgres as another user, started by root. If that user may not enter one of the folders, such as one below
 * /root, the process keeps root's capability to bypass file permissions, and no other capability.
 */
export function asUser({ uid, gid }: User, name: string, folders: readonly string[]): RunAs {
  const mayEnter = (folder: string) => spawnSync('test', ['-x', folder], { uid, gid }).status === 0;
  if (folders.every(mayEnter)) return { how: `as ${name}`, prefix: [], user: { uid, gid } };
  // The capability dac_override lets the user enter private folders. But `access()`, by which initdb finds its
  // programs, ignores the capability unless the securebit no_setuid_fixup is set.
  const permission = [
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup',
  ];
  return {
    how: `as ${name} with permission to enter private folders`,
    prefix: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...permission, '--'],
    user: { uid, gid },
  };
}

/**
 * The command to spawn, and the user to spawn it as. No user is returned if the prefix of the command changes the user.
 */
export function commandAs(
  { prefix, user }: RunAs,
  command: string,
  args: readonly string[],
): { command: string; args: string[]; user: User | undefined } {
  const [first = command, ...rest] = [...prefix, command, ...args];
  return { command: first, args: rest, user: prefix.length === 0 ? user : undefined };
}
