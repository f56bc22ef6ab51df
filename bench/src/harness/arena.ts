import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Servers, startServers } from '@carillon/embedded';
import { Redis } from 'ioredis';
import pg from 'pg';

/**
 * The default `hz` of Redis. The embedded Redis has a higher one, which would make every contender's delayed jobs more
 * punctual.
 */
const DEFAULT_HZ = '10';

/** The servers that all contenders use in turn. Each round has a new database. */
export interface Arena {
  databaseUrl: string;
  redisUrl: string;
  /** Lines for the report: the versions of Node and of the servers, with the settings that matter. */
  description: string[];
  /**
   * Empties Redis, deletes the database of the previous round, and creates an empty one. With `kept`, the new database
   * is a copy of the one that was kept under that name. Returns its URL.
   */
  clear(kept?: string): Promise<string>;
  /** Keeps the database of the latest round under this name, so that later rounds can begin with a copy of it. */
  keep(name: string): Promise<void>;
  forget(name: string): Promise<void>;
  /**
   * Does the maintenance that a server does between two bursts (vacuum, checkpoint), so that it does not slow the next
   * round.
   */
  maintain(databaseUrl: string): Promise<void>;
  close(): Promise<void>;
}

export async function openArena(env: NodeJS.ProcessEnv): Promise<Arena> {
  const home = await mkdtemp(join(tmpdir(), 'carillon-bench-'));
  const servers = await startServers({
    home,
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    searchPath: env.PATH ?? '',
    log: { info: () => {}, warn: (text) => console.error(text) },
  });
  const redis = new Redis(servers.redisUrl);
  const stop = async () => {
    redis.disconnect();
    await servers.stop();
    await rm(home, { recursive: true, force: true });
  };
  let stopping: Promise<void> | undefined;
  // If the benchmark is interrupted, this may be called twice.
  const close = () => {
    stopping ??= stop();
    return stopping;
  };
  try {
    if (env.REDIS_URL) await refuseUnlessEmpty(redis);
    else await redis.config('SET', 'hz', DEFAULT_HZ);
    const description = await describe(servers, redis);
    return {
      ...servers,
      description,
      clear: (kept) => clear(servers, redis, kept),
      keep: (name) => keep(servers, name),
      forget: (name) => forget(servers, name),
      maintain,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Refuses a Redis that holds data, because each round empties it. */
async function refuseUnlessEmpty(redis: Redis): Promise<void> {
  const keys = await redis.dbsize();
  if (keys > 0) throw new Error(`REDIS_URL holds ${keys} keys, and a benchmark would delete them`);
}

const DATABASE = 'carillon_bench';

async function clear(servers: Servers, redis: Redis, kept?: string): Promise<string> {
  await redis.flushall();
  await ask(servers.databaseUrl, `drop database if exists ${DATABASE} with (force)`);
  const like = kept ? ` template ${kept} strategy file_copy` : '';
  await ask(servers.databaseUrl, `create database ${DATABASE}${like}`);
  return Object.assign(new URL(servers.databaseUrl), { pathname: `/${DATABASE}` }).toString();
}

async function keep(servers: Servers, name: string): Promise<void> {
  await forget(servers, name);
  await ask(servers.databaseUrl, `alter database ${DATABASE} rename to ${name}`);
}

async function forget(servers: Servers, name: string): Promise<void> {
  await ask(servers.databaseUrl, `drop database if exists ${name}`);
}

async function maintain(databaseUrl: string): Promise<void> {
  await ask(databaseUrl, 'vacuum analyze');
  await ask(databaseUrl, 'checkpoint');
}

async function describe(servers: Servers, redis: Redis): Promise<string[]> {
  const settings = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers'];
  const shown = await Promise.all(
    settings.map(async (name) => {
      const [row] = await ask(servers.databaseUrl, `show ${name}`);
      return `${name} ${row?.[name]}`;
    }),
  );
  const hz = await redis.config('GET', 'hz');
  const info = await redis.info('server');
  const version = /(?:valkey|redis)_version:(\S+)/.exec(info)?.[1];
  return [
    `Node: ${process.versions.node} for all contenders, Carillon included`,
    `Postgres: ${servers.postgresKind}; ${shown.join(', ')}`,
    `Redis: ${servers.redisKind} (version ${version}), hz ${(hz as string[])[1]}, no persistence unless it is external`,
  ];
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
