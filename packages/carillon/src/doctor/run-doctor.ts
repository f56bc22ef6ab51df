import { readConfig as readApiConfig } from '@carillon/api';
import {
  compareEncryptionKey,
  explainPooler,
  openDatabase,
  probePooler,
  readClock,
  readDeadRows,
  readInvalidIndexes,
  readLiveWorkers,
  readLongestTransaction,
  readMonthsAhead,
  readServerFacts,
  verifyMigrated,
} from '@carillon/db';
import {
  connectProducer,
  PostgresClock,
  type RedisServer,
  RedisWatch,
  readRedisFacts,
  untilReady,
} from '@carillon/queue';
import { readConfig as readWorkerConfig } from '@carillon/worker';
import type { Pool } from 'pg';
import { type Check, failed, ok, runCheck, skipped } from './check.js';
import {
  judgeAutovacuum,
  judgeClock,
  judgeEncryptionKey,
  judgeExtensions,
  judgeIndexes,
  judgePartitions,
  judgeServer,
  judgeTransaction,
  judgeWorkers,
} from './judge-postgres.js';
import { judgeRedisServers, judgeRedisState } from './judge-redis.js';

const CLOCK_SAMPLES = 5;
const REACH_POSTGRES = 'Check DATABASE_URL, and that Postgres runs and can be reached from this machine.';

/** Checks the settings, Postgres and Redis of an installation. Changes nothing. */
export async function runDoctor(environment: NodeJS.ProcessEnv): Promise<Check[]> {
  const [api, worker] = [readApiConfig(environment), readWorkerConfig(environment)];
  const problems = [api, worker].flatMap((config) => ('problems' in config ? config.problems : []));
  const versions = checkVersions();
  if ('problems' in worker || 'problems' in api)
    return [
      versions,
      failed(
        'settings',
        [...new Set(problems)].join('; '),
        'Set these variables as docs/configuration.md describes.',
      ),
      skipped('postgres', 'the settings have to be repaired first'),
      skipped('redis', 'the settings have to be repaired first'),
    ];
  const [postgres, redis] = await Promise.all([checkPostgres(worker), checkRedis(worker)]);
  return [versions, ok('settings', 'every variable is valid'), ...postgres, ...redis];
}

const TZDATA = process.versions.tz ?? 'unknown';

function checkVersions(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const message = `Node ${process.versions.node}, time zone data ${TZDATA}`;
  const isOld = major < 20 || (major === 20 && minor < 19);
  return isOld ? failed('versions', message, 'Upgrade Node to 20.19 or later.') : ok('versions', message);
}

interface PostgresSettings {
  DATABASE_URL: string;
  DATABASE_DIRECT_URL?: string | undefined;
  DATABASE_SCHEMA: string;
  DATABASE_PREPARED_STATEMENTS: boolean;
  CARILLON_ENCRYPTION_KEY?: string | undefined;
}

async function checkPostgres(settings: PostgresSettings): Promise<Check[]> {
  const { DATABASE_URL: url, DATABASE_SCHEMA: schema, CARILLON_ENCRYPTION_KEY: key } = settings;
  const pool = openDatabase({
    url,
    schema,
    // Behind a pooler whose settings are missing, a prepared statement could fail before the pooler is reported.
    usesPreparedStatements: false,
    max: 2,
    applicationName: 'carillon-doctor',
    connectTimeoutMs: 3_000,
    onError: () => {},
  });
  try {
    const facts = await readServerFacts(pool).catch((error: Error) => error);
    if (facts instanceof Error) return [failed('postgres', facts.message, REACH_POSTGRES)];
    const connections = [await checkPooler(settings), ...(await checkDirectUrl(settings))];
    const server = [judgeServer(facts), ...connections, judgeExtensions(facts), await checkClock(pool)];
    const migrations = await runCheck('migrations', 'Run the command migrate of this version.', async () => {
      await verifyMigrated(url, { schema });
      return ok('migrations', `the tables in the schema ${schema} are up to date`);
    });
    if (migrations.status !== 'ok') return [...server, migrations];
    return [
      ...server,
      migrations,
      judgePartitions(await readMonthsAhead(pool)),
      judgeIndexes(await readInvalidIndexes(pool, schema)),
      judgeTransaction(await readLongestTransaction(pool), facts),
      judgeAutovacuum(facts, await readDeadRows(pool, { schema })),
      ...judgeWorkers(await readLiveWorkers(pool, {}), TZDATA),
      judgeEncryptionKey(await compareEncryptionKey(pool, key), key !== undefined),
    ];
  } catch (error) {
    return [failed('postgres', (error as Error).message, REACH_POSTGRES)];
  } finally {
    await pool.end();
  }
}

/** Makes the same comparison as an API or a worker, which does not start if a setting for its pooler is missing. */
function checkPooler(settings: PostgresSettings): Promise<Check> {
  const name = 'pooler';
  return runCheck(name, REACH_POSTGRES, async () => {
    const traits = await probePooler(settings.DATABASE_URL);
    const problem = explainPooler(traits, {
      hasDirectUrl: settings.DATABASE_DIRECT_URL !== undefined,
      usesPreparedStatements: settings.DATABASE_PREPARED_STATEMENTS,
    });
    if (problem !== null) return failed(name, problem, 'Set this for every process: none starts without it.');
    return ok(
      name,
      traits.sharesBackends
        ? 'DATABASE_URL leads to a pooler in transaction mode, and has the settings for it'
        : 'DATABASE_URL leads to no pooler in transaction mode',
    );
  });
}

/** Checks the address that migrations and listeners use. There is no such check if the address is not set. */
async function checkDirectUrl({ DATABASE_DIRECT_URL: url }: PostgresSettings): Promise<Check[]> {
  if (url === undefined) return [];
  const name = 'direct connection';
  const advice =
    'Set DATABASE_DIRECT_URL to Postgres itself, and check that it can be reached from this machine.';
  const check = await runCheck(name, advice, async () =>
    (await probePooler(url)).sharesBackends
      ? failed(name, 'DATABASE_DIRECT_URL leads to a connection pooler in transaction mode', advice)
      : ok(name, 'DATABASE_DIRECT_URL leads to Postgres itself'),
  );
  return [check];
}

async function checkClock(pool: Pool): Promise<Check> {
  const clock = new PostgresClock(Date.now);
  for (let sample = 0; sample < CLOCK_SAMPLES; sample++) await clock.ask(() => readClock(pool));
  return judgeClock(clock);
}

async function checkRedis(settings: { redis: RedisServer | null; REDIS_PREFIX: string }): Promise<Check[]> {
  if (!settings.redis) return [skipped('redis', 'this installation runs without Redis (REDIS_URL=none)')];
  const redis = connectProducer(settings.redis, () => {});
  let cause: string | null = null;
  const watch = new RedisWatch({
    redis,
    prefix: settings.REDIS_PREFIX,
    onTrouble: (_state, error) => {
      cause = error instanceof Error ? error.message : String(error);
    },
    onRecovery: () => {},
  });
  try {
    await untilReady(redis);
    const state = judgeRedisState(await watch.look(), cause);
    if (state.status !== 'ok') return [state];
    const servers = await readRedisFacts(redis).catch((error: Error) => error);
    if (servers instanceof Error)
      return [state, skipped('redis policy', `could not be read: ${servers.message}`)];
    return [state, ...judgeRedisServers(servers)];
  } finally {
    redis.disconnect();
  }
}
