import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import type { RunningProcess } from './keep-running.js';
import { endProcess, type StopSteps } from './pid-file.js';
import { signalWhenParentEnds } from './signal-when-parent-ends.js';

interface SpawnApartOptions {
  command: string;
  args: string[];
  logFile: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** The text for the server's standard input. */
  input?: string;
  /** The signals that stop the server, gentlest first. */
  stop: StopSteps;
}

const MAX_LOG_BYTES = 10 * 1024 * 1024;

/**
 * Starts a server in a session of its own. Ctrl-C would otherwise reach the server together with the apps, but the
 * server must outlive the apps that use it. The output goes to a file instead of a pipe, so that the server can outlive
 * this process.
 */
export function spawnApart(options: SpawnApartOptions): Promise<RunningProcess> {
  const { command, args, logFile, env, uid, gid, input, stop } = options;
  const output = openLog(logFile);
  const child = spawn(command, args, {
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', output, output],
    cwd: '/',
    ...(env && { env }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  });
  closeSync(output);
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => {
      const pid = child.pid as number;
      const guarded = signalWhenParentEnds(pid, stop[0].signal);
      void ended.then(() => guarded.release());
      resolve({
        pid,
        ended,
        async stop() {
          await endProcess(pid, stop);
          await ended;
        },
      });
    });
  });
}

function openLog(path: string): number {
  try {
    if (statSync(path).size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  } catch {
    // There is no file yet.
  }
  return openSync(path, 'a', 0o600);
}
