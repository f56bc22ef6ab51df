import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { endProcess, isAlive } from '../pid-file.js';

/** Fast shutdown first (roll back, checkpoint); then immediate, from which the next start recovers. */
export const STOP_POSTGRES = [
  { signal: 'SIGINT', patienceMs: 30_000 },
  { signal: 'SIGQUIT', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 2_000 },
] as const;

/** Stops the server that a killed supervisor left on this cluster; returns whether there was one. */
export async function endLeftoverPostgres(dataDir: string): Promise<boolean> {
  const pidFile = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  // If the process has ended, Postgres removes the stale pid file itself.
  if (!(pid > 0) || !isAlive(pid)) return false;
  if (commandLine(pid).includes(dataDir)) {
    await endProcess(pid, STOP_POSTGRES);
    return true;
  }
  // The pid now belongs to another process (after a reboot, or in a new container). Postgres would take it for a server
  // on this cluster and refuse to start.
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
