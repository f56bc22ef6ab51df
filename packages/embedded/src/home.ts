import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endProcess, pidLine, readLivePid } from './pid-file.js';
import { diskFull, isDiskFull, StartError } from './start-error.js';

/** The files and folders below CARILLON_HOME. */
export function homePaths(home: string) {
  const runDir = join(home, 'run');
  return {
    home,
    runDir,
    logsDir: join(home, 'logs'),
    lock: join(runDir, 'supervisor.pid'),
    redisPid: join(runDir, 'redis.pid'),
    postgresData: join(home, 'postgres'),
    postgresPassword: join(home, 'postgres.password'),
    postgresUrl: join(home, 'postgres.url'),
    redisUrl: join(home, 'redis.url'),
    redisPassword: join(home, 'redis.password'),
    apiUrl: join(home, 'api.url'),
  };
}

export type HomePaths = ReturnType<typeof homePaths>;

export async function prepareHome(home: string): Promise<HomePaths> {
  const paths = homePaths(home);
  try {
    await mkdir(paths.home, { recursive: true, mode: 0o700 });
    await mkdir(paths.runDir, { recursive: true, mode: 0o700 });
    await mkdir(paths.logsDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (isDiskFull((error as Error).message)) throw diskFull(home);
    throw new StartError(
      `CARILLON_HOME (${home}) must be a folder that can be written: ${(error as Error).message}`,
    );
  }
  return paths;
}

/** Locks the data folder (CARILLON_HOME) for this process. Returns a function that releases the lock. */
export async function lockHome(paths: HomePaths): Promise<() => Promise<void>> {
  const mine = `${paths.lock}.${randomBytes(6).toString('hex')}`;
  await writeFile(mine, pidLine(process.pid), { mode: 0o600 });
  try {
    for (let tries = 0; tries < 3; tries++) {
      // link() fails if the name exists, so only one of two processes that start at once gets the lock.
      const taken = await link(mine, paths.lock).then(
        () => false,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return true;
          throw error;
        },
      );
      if (!taken) return () => rm(paths.lock, { force: true });
      const holder = await readLivePid(paths.lock);
      if (holder !== null) {
        throw new StartError(
          `CARILLON_HOME (${paths.home}) is in use by process ${holder}: stop it, or set CARILLON_HOME to another folder`,
        );
      }
      await moveAside(paths.lock, mine);
    }
    throw new StartError(`CARILLON_HOME (${paths.home}) is being started by another process`);
  } finally {
    await rm(mine, { force: true });
  }
}

/**
 * Removes the lock file that an ended process has left. Another process may have replaced that file in the meantime, so
 * the file is renamed first and then checked. If it belongs to a process that runs, it is put back.
 */
async function moveAside(lock: string, mine: string): Promise<void> {
  const aside = `${mine}.stale`;
  const moved = await rename(lock, aside).then(
    () => true,
    () => false,
  );
  if (!moved) return;
  if ((await readLivePid(aside)) !== null) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
}

/**
 * Stops the apps and the Redis that a killed supervisor left running, and returns their names. A Postgres that was left
 * running is not stopped here but by `endLeftoverPostgres`, because Postgres has a pid file of its own.
 */
export async function endLeftovers(paths: HomePaths): Promise<string[]> {
  const ended: string[] = [];
  for (const file of await readdir(paths.runDir)) {
    if (!file.endsWith('.pid') || join(paths.runDir, file) === paths.lock) continue;
    const pid = await readLivePid(join(paths.runDir, file));
    if (pid !== null) {
      await endProcess(pid, [
        { signal: 'SIGTERM', patienceMs: 5_000 },
        { signal: 'SIGKILL', patienceMs: 2_000 },
      ]);
      ended.push(file.slice(0, -'.pid'.length));
    }
    await rm(join(paths.runDir, file), { force: true });
  }
  return ended;
}

/** Reads a secret that is stored beside the data, readable by its owner only; generates it the first time. */
export async function keptSecret(path: string, make: () => string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch(() => '');
  if (kept.trim() !== '') return kept.trim();
  const made = make();
  await writePrivately(path, `${made}\n`);
  return made;
}

export async function writePrivately(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  // The mode above applies only if the file is new.
  await chmod(path, 0o600);
}
