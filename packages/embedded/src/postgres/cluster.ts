import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type HomePaths, keptSecret, writePrivately } from '../home.js';
import { diskFull, isDiskFull, StartError } from '../start-error.js';
import type { PostgresBinaries } from './binaries.js';
import { commandAs, type RunAs, waysToRunNewCluster, wayToRunCluster } from './run-as.js';

const run = promisify(execFile);

export const POSTGRES_USER = 'carillon';

export interface Cluster {
  dataDir: string;
  password: string;
  runAs: RunAs;
}

interface ClusterOptions {
  paths: HomePaths;
  binaries: PostgresBinaries;
  /** The ways to run a new cluster (as which user), best first. */
  ways?: RunAs[];
  /** Whether a new cluster is flushed to disk before it is used. */
  sync: boolean;
}

/** Opens the Postgres cluster (data folder) in CARILLON_HOME, and creates it if there is none. */
export async function openCluster({ paths, binaries, ways, sync }: ClusterOptions): Promise<Cluster> {
  const dataDir = paths.postgresData;
  const password = await keptSecret(paths.postgresPassword, () => randomBytes(24).toString('base64url'));
  const folders = foldersToEnter(paths, binaries);
  if (existsSync(dataDir)) {
    await checkMajorVersion(dataDir, binaries.major);
    return { dataDir, password, runAs: await wayToRunCluster(dataDir, folders) };
  }
  const failures: string[] = [];
  for (const runAs of ways ?? waysToRunNewCluster(folders)) {
    try {
      await createCluster({ paths, binaries, runAs, password, sync });
      return { dataDir, password, runAs };
    } catch (error) {
      failures.push(`${runAs.how}: ${lastLine(error)}`);
    }
  }
  if (failures.some(isDiskFull)) throw diskFull(paths.home);
  throw new StartError(
    `Postgres could not be set up (${failures.join('; ')}): start as another user, or set DATABASE_URL`,
  );
}

/**
 * The folders that the user who runs Postgres must be able to enter. CARILLON_HOME itself is not among them, because
 * its permissions are changed if necessary.
 */
export function foldersToEnter({ home }: HomePaths, { postgres }: PostgresBinaries): string[] {
  return [dirname(home), dirname(postgres)];
}

interface CreateClusterOptions {
  paths: HomePaths;
  binaries: PostgresBinaries;
  runAs: RunAs;
  password: string;
  sync: boolean;
}

async function createCluster({
  paths,
  binaries,
  runAs,
  password,
  sync,
}: CreateClusterOptions): Promise<void> {
  // The cluster is created under another name and renamed when it is complete. So a start that is killed half-way
  // leaves no broken cluster.
  const unfinished = `${paths.postgresData}.new`;
  const passwordFile = `${paths.postgresPassword}.initdb`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writePrivately(passwordFile, password);
  try {
    if (runAs.user) {
      const { uid, gid } = runAs.user;
      await chmod(paths.home, 0o711);
      await chown(unfinished, uid, gid);
      await chown(passwordFile, uid, gid);
    }
    const { command, args, user } = commandAs(runAs, binaries.initdb, [
      `--pgdata=${unfinished}`,
      `--username=${POSTGRES_USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      ...localeFlags(binaries.major),
      ...(sync ? [] : ['--no-sync']),
    ]);
    await run(command, args, { cwd: '/', ...user });
    await rename(unfinished, paths.postgresData);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** This collation sorts by code point on every machine, and knows upper and lower case beyond ASCII. */
const localeFlags = (major: number) =>
  major >= 17
    ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    : ['--locale=C.UTF-8'];

async function checkMajorVersion(dataDir: string, major: number): Promise<void> {
  const version = (await readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch(() => 'unknown')).trim();
  if (version !== String(major)) {
    throw new StartError(
      `${dataDir} holds data of Postgres ${version}, this is ${major}: move it away, or set DATABASE_URL`,
    );
  }
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  const lines = (stderr || message).trim().split('\n');
  const reason = lines.find(isDiskFull) ?? lines.find((line) => /error|failed|cannot|could not/i.test(line));
  return reason ?? lines.at(-1) ?? 'unknown';
}
