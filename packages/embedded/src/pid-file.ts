import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** The start time of a process, which distinguishes it from a later process with the same pid; null if it has ended. */
function processBirth(pid: number): string | null {
  return platform() === 'linux' ? birthFromProc(pid) : birthFromPs(pid);
}

function birthFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name, in parentheses, may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended. In a container without an init process it is never reaped and stays listed.
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function birthFromPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

export function isAlive(pid: number): boolean {
  return processBirth(pid) !== null;
}

/** The content of a pid file: the pid and the start time of the process. */
export function pidLine(pid: number): string {
  return `${pid} ${processBirth(pid) ?? 'ended'}\n`;
}

export async function writePidFile(path: string, pid: number): Promise<void> {
  await writeFile(path, pidLine(pid), { mode: 0o600 });
}

/** The pid in a pid file, if that same process is still running; otherwise null. */
export async function readLivePid(path: string): Promise<number | null> {
  const line = await readFile(path, 'utf8').catch(() => '');
  const [pidText = '', ...birth] = line.trim().split(' ');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return null;
  return processBirth(pid) === birth.join(' ') ? pid : null;
}

async function waitUntilEnded(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    if (Date.now() >= deadline) return false;
    await sleep(20);
  }
  return true;
}

interface StopStep {
  signal: NodeJS.Signals;
  patienceMs: number;
}

export type StopSteps = readonly [StopStep, ...StopStep[]];

/**
 * Ends a process by a list of signals. The next signal is sent only if the process is still alive `patienceMs` after
 * the signal before.
 */
export async function endProcess(pid: number, steps: StopSteps): Promise<void> {
  for (const { signal, patienceMs } of steps) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    if (await waitUntilEnded(pid, patienceMs)) return;
  }
}
