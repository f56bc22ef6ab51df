import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HomePaths } from '../home.js';
import type { RunningProcess } from '../keep-running.js';
import { writePidFile } from '../pid-file.js';
import { spawnApart } from '../spawn-apart.js';
import { StartError } from '../start-error.js';
import { waitForPong } from './wait-for-pong.js';

const READY_WITHIN_MS = 20_000;

/** The program that runs as the embedded Redis. */
export interface RedisProgram {
  kind: string;
  command: string;
  args(port: number): string[];
  /** Passed on standard input, because every user of the machine can read the arguments of a process. */
  config(options: { port: number; password: string }): string;
}

const STOP_REDIS = [
  { signal: 'SIGTERM', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 2_000 },
] as const;

/** Starts the Redis program on this port; resolves when it answers a PING. */
export async function runRedis(
  program: RedisProgram,
  { paths, port, password }: { paths: HomePaths; port: number; password: string },
): Promise<RunningProcess> {
  const logFile = join(paths.logsDir, 'redis.log');
  const server = await spawnApart({
    command: program.command,
    args: program.args(port),
    logFile,
    input: program.config({ port, password }),
    stop: STOP_REDIS,
  });
  await writePidFile(paths.redisPid, server.pid);
  let ended: string | null = null;
  void server.ended.then(async (how) => {
    ended = how;
    await rm(paths.redisPid, { force: true });
  });
  const deadline = Date.now() + READY_WITHIN_MS;
  const up = await waitForPong({ port, password }, () => ended !== null || Date.now() > deadline);
  // The PONG may come from another server that had the port first. In that case our process has ended.
  if (up && ended === null) return server;
  const how = ended ?? 'no answer in time';
  await server.stop();
  throw new StartError(
    `${program.kind} did not start (${how}); see ${logFile}, or set REDIS_URL to a Redis server`,
  );
}
