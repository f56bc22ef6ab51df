import { spawn } from 'node:child_process';

/**
 * Sends a signal to a child process when this process ends, so that no child is left running even if this process is
 * killed. A small shell process (the guard) waits for the end of a pipe, which closes when this process ends, and then
 * sends the signal.
 */
export function signalWhenParentEnds(pid: number, signal: NodeJS.Signals): { release(): void } {
  const script = 'read _; kill -s "$0" "$1"';
  const shell = spawn('/bin/sh', ['-c', script, signal.replace('SIG', ''), String(pid)], {
    // Detached from the terminal's process group. Otherwise Ctrl-C would end the guard first.
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // If no shell can be started, there is no guard. The next start still stops processes that were left running.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  return { release: () => void shell.kill('SIGKILL') };
}
