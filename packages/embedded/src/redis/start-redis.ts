import { randomBytes } from 'node:crypto';
import { startOnFreePort } from '../free-port.js';
import { type HomePaths, keptSecret } from '../home.js';
import { type KeptProcess, keepRunning } from '../keep-running.js';
import type { Log } from '../log.js';
import { StartError } from '../start-error.js';
import { nativeRedis, wasmRedis } from './programs.js';
import { type RedisProgram, runRedis } from './run-redis.js';

export type RedisChoice = 'native' | 'wasm';

export interface EmbeddedRedis extends KeptProcess {
  url: string;
  kind: string;
}

interface StartRedisOptions {
  paths: HomePaths;
  choice: RedisChoice | undefined;
  /** The folders in which to look for a native server, as in PATH. */
  searchPath: string;
  log: Log;
}

export async function startRedis({
  paths,
  choice,
  searchPath,
  log,
}: StartRedisOptions): Promise<EmbeddedRedis> {
  const program = chooseProgram(choice, searchPath);
  // Without a password, every user of this machine could read and change what Redis holds.
  const password = await keptSecret(paths.redisPassword, () => randomBytes(24).toString('base64url'));
  const start = (port: number) => runRedis(program, { paths, port, password });
  const { port, started } = await startOnFreePort(start);
  const kept = keepRunning({ name: 'Redis', running: started, start: () => start(port), log });
  return { url: `redis://:${password}@127.0.0.1:${port}`, kind: program.kind, stop: kept.stop };
}

function chooseProgram(choice: RedisChoice | undefined, searchPath: string): RedisProgram {
  if (choice === 'wasm') return wasmRedis();
  const native = nativeRedis(searchPath);
  if (native) return native;
  if (choice === 'native') {
    throw new StartError(
      'CARILLON_REDIS=native needs a redis-server or valkey-server on PATH: install one, or set REDIS_URL',
    );
  }
  return wasmRedis();
}
