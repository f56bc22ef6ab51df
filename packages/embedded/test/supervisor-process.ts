import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { isAlive } from '../src/pid-file.js';
import { AS_CURRENT_USER, commandAs } from '../src/postgres/run-as.js';

const START = fileURLToPath(new URL('stand-ins/start.mjs', import.meta.url));

/** A folder that is deleted after the test. */
export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'carillon-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

/**
 * URLs of servers, so that the supervisor starts neither Postgres nor Redis. The stand-ins for the apps do not connect
 * to these servers.
 */
export const GIVEN_SERVERS = { DATABASE_URL: 'postgres://given/carillon', REDIS_URL: 'redis://given' };

/** Starts the supervisor as a process, with stand-ins for the apps. It is stopped after the test if it still runs. */
export async function startSupervisor(
  home: string,
  env: Record<string, string> = {},
  runAs = AS_CURRENT_USER,
) {
  const { command, args, user } = commandAs(runAs, process.execPath, [START]);
  const child = spawn(command, args, {
    cwd: home,
    env: { PATH: process.env.PATH, PORT: '0', WORKERS: '1', CARILLON_HOME: home, ...env },
    // A process group of its own, like each command in a terminal.
    detached: true,
    ...user,
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exitCode;
  });
  return {
    pid: child.pid as number,
    exitCode,
    output: () => output,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    killGroup: (signal: NodeJS.Signals) => process.kill(-(child.pid as number), signal),
    /** The address of the API, when the supervisor has printed it. */
    async ready(): Promise<string> {
      const announced = () => output.includes('ready on') || child.exitCode !== null;
      await expect.poll(announced, { timeout: 20_000 }).toBe(true);
      return /Carillon ready on (\S+)/.exec(output)?.[1] ?? expect.unreachable(`it said: ${output}`);
    },
  };
}

/**
 * The pids of all running processes of this home. The apps and Redis are found by our pid files, Postgres by its own
 * pid file.
 */
export function processesOf(home: string): number[] {
  const files = [
    ...readdirSync(join(home, 'run')).map((name) => join(home, 'run', name)),
    join(home, 'postgres', 'postmaster.pid'),
  ];
  return files.flatMap((file) => {
    try {
      const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
      return isAlive(pid) ? [pid] : [];
    } catch {
      return [];
    }
  });
}

export function postgresPid(home: string): number {
  return Number.parseInt(readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}
