import type { DeadRows, LiveWorker, OpenTransaction, ServerFacts } from '@carillon/db';
import { MAX_CLOCK_OFFSET_MS } from '@carillon/shared';
import pg from 'pg';
import { type Check, failed, ok, skipped, warning } from './check.js';

/** The oldest Postgres on which the tests run. */
const OLDEST_POSTGRES = 15;

export function judgeServer({ version, versionNumber, isReplica, ...server }: ServerFacts): Check {
  const name = 'postgres';
  if (isReplica)
    return failed(name, `Postgres ${version} is a read-only replica`, 'Point DATABASE_URL at the primary.');
  if (Math.floor(versionNumber / 10_000) < OLDEST_POSTGRES)
    return failed(name, `Postgres ${version} is too old`, `Upgrade to Postgres ${OLDEST_POSTGRES} or later.`);
  const { connections, maxConnections } = server;
  const used = `${connections} of ${maxConnections} connections are in use`;
  if (connections > maxConnections * 0.9)
    return warning(
      name,
      `Postgres ${version}: ${used}`,
      'Raise max_connections, or use a connection pooler.',
    );
  return ok(name, `Postgres ${version}; ${used}`);
}

/** A missing extension is at most a warning, because Carillon works without any. */
export function judgeExtensions({ extensions }: ServerFacts): Check {
  const name = 'extensions';
  if (!extensions.includes('pg_trgm'))
    return warning(
      name,
      'pg_trgm is missing: a search for schedules by a part of their name reads all of them',
      'Install the contrib package of Postgres, run: create extension pg_trgm, and create the indexes that the first migration makes with it.',
    );
  const hasStatements = extensions.includes('pg_stat_statements');
  const note = hasStatements ? '' : '; pg_stat_statements would help to find slow statements';
  return ok(name, `installed: ${extensions.join(', ')}${note}`);
}

export function judgeAutovacuum(server: ServerFacts, tables: readonly DeadRows[]): Check {
  const name = 'autovacuum';
  if (!server.hasAutovacuum || !server.hasTrackCounts)
    return failed(
      name,
      `${server.hasAutovacuum ? 'track_counts' : 'autovacuum'} is off: tables grow without bound, and claims get slower`,
      'Set autovacuum = on and track_counts = on.',
    );
  const off = tables.filter(({ hasAutovacuum }) => !hasAutovacuum).map(({ table }) => table);
  if (off.length > 0)
    return failed(
      name,
      `autovacuum is off for ${off.join(', ')}`,
      'Run for each: alter table … reset (autovacuum_enabled).',
    );
  const bloated = tables.filter(({ live, dead }) => dead > MANY_DEAD_ROWS && dead > live);
  if (bloated.length === 0) return ok(name, 'on, and no table has more dead rows than live ones');
  const named = bloated.map(({ table, dead }) => `${table} (${dead} dead rows)`).join(', ');
  return warning(
    name,
    `autovacuum does not keep up: ${named}`,
    'Look for long transactions, run vacuum on these tables, and lower autovacuum_vacuum_cost_delay.',
  );
}

const MANY_DEAD_ROWS = 100_000;

/** An open transaction keeps vacuum from removing dead rows. Carillon's own transactions take seconds at most. */
const LONG_TRANSACTION_MS = 300_000;
const VERY_LONG_TRANSACTION_MS = 3_600_000;

export function judgeTransaction(
  longest: OpenTransaction | null,
  { role, seesOtherSessions }: Pick<ServerFacts, 'role' | 'seesOtherSessions'>,
): Check {
  const name = 'longest transaction';
  const isLong = longest !== null && longest.ageMs >= LONG_TRANSACTION_MS;
  if (!isLong && !seesOtherSessions)
    return warning(
      name,
      `the role ${role} cannot see the transactions of other roles`,
      `Run as an administrator: grant pg_monitor to ${pg.escapeIdentifier(role)}.`,
    );
  if (!isLong)
    return ok(
      name,
      longest ? `open for ${Math.round(longest.ageMs / 1_000)} s` : 'no other transaction is open',
    );
  const { pid, application, state, ageMs } = longest;
  const message = `pid ${pid} (${application || 'no name'}, ${state}) has been in a transaction for ${Math.round(ageMs / 60_000)} minutes: vacuum can remove no row that died since`;
  const advice = `End that program's transaction, or run: select pg_terminate_backend(${pid}).`;
  return (ageMs >= VERY_LONG_TRANSACTION_MS ? failed : warning)(name, message, advice);
}

export function judgeIndexes(invalid: readonly string[]): Check {
  const name = 'indexes';
  if (invalid.length === 0) return ok(name, 'all are valid');
  return failed(
    name,
    `invalid, so that Postgres does not use them: ${invalid.join(', ')}`,
    'Run for each: reindex index concurrently …',
  );
}

export function judgePartitions(monthsAhead: number): Check {
  const name = 'partitions';
  if (monthsAhead >= 1) return ok(name, `the history has partitions for the next ${monthsAhead} months`);
  return failed(
    name,
    monthsAhead < 0
      ? 'the history has no partition for this month: runs cannot be recorded'
      : 'the history has no partition for the next month',
    'Run migrate or start a worker, which makes partitions every hour, and look for its errors in the log.',
  );
}

export function judgeClock({ offsetMs, errorMs }: { offsetMs: number; errorMs: number }): Check {
  const name = 'clock of this machine';
  const offset = `${Math.abs(Math.round(offsetMs))} ms ${offsetMs > 0 ? 'ahead of' : 'behind'} Postgres's (±${errorMs} ms)`;
  if (Math.abs(offsetMs) - errorMs <= MAX_CLOCK_OFFSET_MS) return ok(name, offset);
  return failed(name, offset, 'Synchronise the clocks of this machine and of Postgres by NTP.');
}

export function judgeWorkers(workers: readonly LiveWorker[], ownTzdata: string): Check[] {
  if (workers.length === 0)
    return [
      warning('workers', 'no worker is alive: due runs wait', 'Start one with the command worker.'),
      skipped('time zone data', `there is no worker to compare; this process has ${ownTzdata}`),
    ];
  const named = ({ id, host }: LiveWorker) => `worker ${id} on ${host}`;
  const off = workers.filter(({ clockOffsetMs }) => Math.abs(clockOffsetMs) > MAX_CLOCK_OFFSET_MS);
  const clocks = off.map((worker) => `${named(worker)} (${worker.clockOffsetMs} ms)`).join(', ');
  const versions = new Set(workers.map(({ tzdata }) => tzdata ?? 'unknown'));
  const list = workers.map((worker) => `${named(worker)}: ${worker.tzdata ?? 'unknown'}`).join('; ');
  return [
    off.length === 0
      ? ok('workers', `${workers.length} alive, and their clocks agree with Postgres's`)
      : failed(
          'workers',
          `clocks that differ from Postgres's: ${clocks}`,
          'Synchronise these machines by NTP.',
        ),
    versions.size === 1
      ? ok('time zone data', list)
      : failed('time zone data', `workers differ: ${list}`, 'Run one version of Node on all workers.'),
  ];
}

export function judgeEncryptionKey(
  compared: 'same' | 'different' | 'missing' | 'unused',
  isSet: boolean,
): Check {
  const name = 'secrets';
  const advice =
    'Set CARILLON_ENCRYPTION_KEY to the key of the first installation, and keep it apart from the database.';
  if (compared === 'same') return ok(name, 'CARILLON_ENCRYPTION_KEY is the key of this installation');
  if (compared === 'different')
    return failed(
      name,
      'CARILLON_ENCRYPTION_KEY is not the key of this installation: no process starts with it',
      advice,
    );
  if (compared === 'missing')
    return failed(name, 'CARILLON_ENCRYPTION_KEY is not set, but this installation has a key', advice);
  return isSet
    ? ok(
        name,
        'CARILLON_ENCRYPTION_KEY is set; the first process that starts makes it the key of this installation',
      )
    : warning(
        name,
        'CARILLON_ENCRYPTION_KEY is not set: webhooks are sent unsigned, and secrets cannot be stored',
        'Set it to 32 random bytes in base64: openssl rand -base64 32',
      );
}
