import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { guard } from '../guard.js';
import type { HomePaths } from '../home.js';
import type { RunningProcess } from '../keep-running.js';
import type { Log } from '../log.js';
import { endProcess, writePidFile } from '../pid-file.js';
import { LogFile } from './log-file.js';
import { terminalLine } from './log-line.js';

export interface App {
  name: string;
  entry: string;
}

export interface RunAppOptions {
  app: App;
  paths: HomePaths;
  cwd: string;
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Aborted when whoever waits for the app to end is out of patience. */
  hurry: AbortSignal;
}

export interface RunningApp extends RunningProcess {
  /** The troubles that it last told of: after a crash, why. */
  lastWords(): string[];
}

/** What an app gets to finish its deliveries before it is killed; its leases run out by themselves. */
const PATIENCE_MS = 20_000;
const REMEMBERED_LINES = 20;

/** Runs an app as our child, its log lines going to a file and its troubles to the terminal as well. */
export async function runApp({ app, paths, cwd, env, log, hurry }: RunAppOptions): Promise<RunningApp> {
  const child = spawn(process.execPath, ['--enable-source-maps', app.entry], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = new LogFile(join(paths.logsDir, `${app.name}.log`));
  const pidFile = join(paths.runDir, `${app.name}.pid`);
  let lastWords: string[] = [];
  const remember = (line: string) => {
    lastWords = [...lastWords, line].slice(-REMEMBERED_LINES);
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    file.add(line);
    const shown = terminalLine(app.name, line);
    if (shown === null) return;
    log.warn(shown);
    remember(shown);
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    file.add(line);
    log.warn(`${app.name}: ${line}`);
    remember(line);
  });
  const ended = new Promise<string>((resolve) => {
    // 'close' and not 'exit': by then all that it wrote has been read.
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
  const guarded = guard(pid, 'SIGTERM');
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
        { signal: 'SIGTERM', patienceMs: PATIENCE_MS },
        { signal: 'SIGKILL', patienceMs: 2_000 },
      ]);
      await ended;
      hurry.removeEventListener('abort', kill);
    },
  };
}
