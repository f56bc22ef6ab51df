import { spawn } from 'node:child_process';

/**
 * Sends a process a signal once we are gone, killed or not, so that nothing of ours is ever left running.
 * The guard is a shell that reads from us: our end of the pipe closes with our process, whatever ended it.
 */
export function guard(pid: number, signal: NodeJS.Signals): { release(): void } {
  const script = 'read _; kill -s "$0" "$1"';
  const shell = spawn('/bin/sh', ['-c', script, signal.replace('SIG', ''), String(pid)], {
    // Apart from the terminal's group, or Ctrl-C would end the guard first.
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell there is no guard; the next start still ends what it finds left behind.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  return { release: () => void shell.kill('SIGKILL') };
}
