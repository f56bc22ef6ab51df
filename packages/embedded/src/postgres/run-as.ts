import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { StartError } from '../start-error.js';

/** A way to run Postgres as somebody whom it accepts. */
export interface RunAs {
  /** For people: "as nobody". */
  how: string;
  /** Put before the command, and sees to the change of user; where it is empty, the command is started as `user`. */
  prefix: string[];
  /** To whom the cluster's files belong, where that is not us. */
  user?: User;
}

export interface User {
  uid: number;
  gid: number;
}

export const AS_WE_ARE: RunAs = { how: 'as this user', prefix: [] };

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

/**
 * The ways to make a new cluster, best first. Postgres refuses to run as root, so root has to try.
 * The folders are those that it must be able to enter.
 */
export function waysToRunNewCluster(folders: readonly string[]): RunAs[] {
  if (!isRoot()) return [AS_WE_ARE];
  const nobody = findNobody();
  return nobody ? [IN_NAMESPACE, asUser(nobody, 'nobody', folders)] : [IN_NAMESPACE];
}

/** How to run a cluster that exists: as the owner of its files, whom Postgres insists on. */
export async function wayToRunCluster(dataDir: string, folders: readonly string[]): Promise<RunAs> {
  const owner = await stat(dataDir);
  if (!isRoot()) {
    if (platform() !== 'win32' && owner.uid !== process.getuid?.()) {
      throw new StartError(
        `${dataDir} belongs to user ${owner.uid}: start as that user, or set CARILLON_HOME to another folder`,
      );
    }
    return AS_WE_ARE;
  }
  if (owner.uid !== 0) return asUser(owner, `user ${owner.uid}`, folders);
  return worksHere(IN_NAMESPACE) ? IN_NAMESPACE : handToNobody(dataDir, folders);
}

function worksHere({ prefix: [command = '', ...args] }: RunAs): boolean {
  return spawnSync(command, [...args, 'true']).status === 0;
}

/** For a cluster that was made in a user namespace on a machine, or by a container, that allowed them. */
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
 * As another user, started by root. Where that user may not enter one of the folders, as below /root, root's leave to
 * pass by their modes goes with it; nothing else of root does.
 */
export function asUser({ uid, gid }: User, name: string, folders: readonly string[]): RunAs {
  const mayEnter = (folder: string) => spawnSync('test', ['-x', folder], { uid, gid }).status === 0;
  if (folders.every(mayEnter)) return { how: `as ${name}`, prefix: [], user: { uid, gid } };
  // Without that bit `access()`, by which initdb looks for its companions, would not go by the leave.
  const leave = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return {
    how: `as ${name} with leave to enter private folders`,
    prefix: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...leave, '--'],
    user: { uid, gid },
  };
}

/** What to spawn, and as whom. */
export function commandAs(
  { prefix, user }: RunAs,
  command: string,
  args: readonly string[],
): { command: string; args: string[]; user: User | undefined } {
  const [first = command, ...rest] = [...prefix, command, ...args];
  return { command: first, args: rest, user: prefix.length === 0 ? user : undefined };
}
