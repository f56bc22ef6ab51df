import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { endProcess, isAlive } from '../pid-file.js';

/**
 * The signals that stop Postgres: first a fast shutdown (roll back, write a checkpoint), then an immediate shutdown,
 * after which the next start has to recover, and at last a kill.
 */
export const STOP_POSTGRES = [
  { signal: 'SIGINT', patienceMs: 30_000 },
  { signal: 'SIGQUIT', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 2_000 },
] as const;

/** Stops a Postgres that a killed supervisor left running on this data folder. Returns true if there was one. */
export async function endLeftoverPostgres(dataDir: string): Promise<boolean> {
  const pidFile = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  // If the process has ended, Postgres removes the stale pid file itself when it starts.
  if (!(pid > 0) || !isAlive(pid)) return false;
  if (commandLine(pid).includes(dataDir)) {
    await endProcess(pid, STOP_POSTGRES);
    return true;
  }
  // The pid now belongs to another process (after a reboot, or in a new container). Postgres would take that process
  // for a server on this data folder and refuse to start, so the pid file is removed.
  await rm(pidFile, { force: true });
  return false;
}

function commandLine(pid: number): string {
  try {
    if (platform() === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
