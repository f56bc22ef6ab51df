import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { HomePaths } from '../home.js';
import type { RunningProcess } from '../keep-running.js';
import type { Log } from '../log.js';
import { endProcess, writePidFile } from '../pid-file.js';
import { signalWhenParentEnds } from '../signal-when-parent-ends.js';
import { LogFile } from './log-file.js';
import { terminalLine } from './log-line.js';
import { longestStopMs } from './longest-stop.js';

export interface App {
  name: string;
  entry: string;
  /** Environment variables for this app only. */
  env?: NodeJS.ProcessEnv;
}

export interface RunAppOptions {
  app: App;
  paths: HomePaths;
  cwd: string;
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Aborted when apps that are stopping must be killed at once. */
  hurry: AbortSignal;
}

export interface RunningApp extends RunningProcess {
  /** The latest warnings and errors of the app, to explain a crash. */
  lastWords(): string[];
}

const MAX_LAST_LINES = 20;

/**
 * Runs an app as a child process. Its log lines go to a file. Warnings, errors and everything that handlers print or
 * log go to the terminal as well.
 */
export async function runApp({ app, paths, cwd, env, log, hurry }: RunAppOptions): Promise<RunningApp> {
  const child = spawn(process.execPath, ['--enable-source-maps', app.entry], {
    cwd,
    env: { ...env, ...app.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = new LogFile(join(paths.logsDir, `${app.name}.log`));
  const pidFile = join(paths.runDir, `${app.name}.pid`);
  let lastWords: string[] = [];
  const remember = (line: string) => {
    lastWords = [...lastWords, line].slice(-MAX_LAST_LINES);
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    file.add(line);
    const shown = terminalLine(app.name, line);
    if (shown === null) return;
    const { text, isWarning } = shown;
    if (!isWarning) return log.info(text);
    log.warn(text);
    remember(text);
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    file.add(line);
    log.warn(`${app.name}: ${line}`);
    remember(line);
  });
  const ended = new Promise<string>((resolve) => {
    // 'close' instead of 'exit', because at 'close' all output has been read.
    child.once('close', (code, signal) => {
      file.close();
      void rm(pidFile, { force: true }).then(() => resolve(signal ?? `exit code ${code}`));
    });
  });
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const pid = child.pid as number;
  const guarded = signalWhenParentEnds(pid, 'SIGTERM');
  void ended.then(() => guarded.release());
  await writePidFile(pidFile, pid);
  return {
    pid,
    ended,
    lastWords: () => lastWords,
    async stop() {
      const kill = () => child.kill('SIGKILL');
      hurry.addEventListener('abort', kill);
      if (hurry.aborted) kill();
      await endProcess(pid, [
        // If a worker is killed, its leases expire, and then other workers take over its runs.
        { signal: 'SIGTERM', patienceMs: longestStopMs(env) },
        { signal: 'SIGKILL', patienceMs: 2_000 },
      ]);
      await ended;
      hurry.removeEventListener('abort', kill);
    },
  };
}
