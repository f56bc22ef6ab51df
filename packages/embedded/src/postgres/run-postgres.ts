import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningProcess } from '../keep-running.js';
import { spawnApart } from '../spawn-apart.js';
import { diskFull, isDiskFull, StartError } from '../start-error.js';
import type { PostgresBinaries } from './binaries.js';
import type { Cluster } from './cluster.js';
import { askWhetherReady } from './database.js';
import { STOP_POSTGRES } from './leftover.js';
import { commandAs } from './run-as.js';

/**
 * Maximum time of a start. Recovery after a crash replays up to max_wal_size of WAL, which takes less time than this on
 * a laptop.
 */
const READY_WITHIN_MS = 300_000;

interface RunPostgresOptions {
  binaries: PostgresBinaries;
  cluster: Cluster;
  flags: string[];
  url: string;
  logFile: string;
}

/** Starts Postgres on its data folder; resolves when it answers queries. */
export async function runPostgres(options: RunPostgresOptions): Promise<RunningProcess> {
  const { binaries, cluster, flags, url, logFile } = options;
  const logStart = await stat(logFile).then(
    (file) => file.size,
    () => 0,
  );
  const { command, args, user } = commandAs(cluster.runAs, binaries.postgres, [
    '-D',
    cluster.dataDir,
    ...flags,
  ]);
  const server = await spawnApart({ command, args, logFile, ...user, stop: STOP_POSTGRES });
  const problem = await waitUntilReady(server, url);
  if (problem === null) return server;
  await server.stop();
  const reason = await lastFatalLine(logFile, logStart);
  if (isDiskFull(reason)) throw diskFull(dirname(cluster.dataDir));
  throw new StartError(`Postgres did not start (${problem}): ${reason}; see ${logFile}`);
}

/** Returns the reason for a failed start, or null when the server is ready. */
async function waitUntilReady(server: RunningProcess, url: string): Promise<string | null> {
  let ended: string | null = null;
  void server.ended.then((how) => {
    ended = how;
  });
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    const answer = await askWhetherReady(url);
    if (ended !== null) return ended;
    if (answer.state === 'ready') return null;
    if (answer.state === 'refused') return answer.reason;
    await sleep(30);
  }
  return 'no answer in time';
}

async function lastFatalLine(logFile: string, from: number): Promise<string> {
  const text = await readFile(logFile).then(
    (bytes) => bytes.subarray(from).toString('utf8'),
    () => '',
  );
  const lines = text.trim().split('\n');
  return lines.findLast((line) => /FATAL|PANIC|failed/.test(line)) ?? lines.at(-1) ?? '';
}
