import { describe, expect, it } from 'vitest';
import { checkApi } from '../cli/doctor-command.js';
import type { Check } from './check.js';
import {
  judgeAutovacuum,
  judgeClock,
  judgeEncryptionKey,
  judgeExtensions,
  judgePartitions,
  judgeServer,
  judgeTransaction,
  judgeWorkers,
} from './judge-postgres.js';
import { judgeRedisServers, judgeRedisState } from './judge-redis.js';

const server = {
  versionNumber: 170_002,
  version: '17.2',
  isReplica: false,
  hasAutovacuum: true,
  hasTrackCounts: true,
  role: 'app',
  seesOtherSessions: true,
  connections: 10,
  maxConnections: 100,
  extensions: ['pg_trgm', 'plpgsql'],
};
const table = { table: 'agenda', live: 10, dead: 0, hasAutovacuum: true };
const worker = { id: 1, host: 'a', tzdata: '2026a', clockOffsetMs: 3 };
const redis = { version: '7.0.15', maxmemoryPolicy: 'noeviction', latencyMs: 0.4 };
const transaction = { pid: 7, application: 'report', state: 'idle in transaction', ageMs: 400_000 };
const statuses = (checks: Check[]) => checks.map(({ status }) => status);

describe('carillon doctor', () => {
  it('carillon doctor finds nothing wrong with a healthy installation', () => {
    const checks = [
      judgeServer(server),
      judgeExtensions(server),
      judgeAutovacuum(server, [table]),
      judgeTransaction({ ...transaction, ageMs: 100 }, server),
      judgePartitions(2),
      judgeClock({ offsetMs: 40, errorMs: 1 }),
      ...judgeWorkers([worker], '2026a'),
      judgeEncryptionKey('same', true),
      judgeRedisState('up', null),
      ...judgeRedisServers([redis]),
    ];
    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
  });

  it.each([
    ['a read-only replica', judgeServer({ ...server, isReplica: true }), 'failed', 'primary'],
    ['an old Postgres', judgeServer({ ...server, versionNumber: 140_001 }), 'failed', 'Upgrade'],
    ['few free connections', judgeServer({ ...server, connections: 95 }), 'warning', 'max_connections'],
    ['no pg_trgm', judgeExtensions({ ...server, extensions: [] }), 'warning', 'create extension'],
    ['autovacuum off', judgeAutovacuum({ ...server, hasAutovacuum: false }, []), 'failed', 'autovacuum = on'],
    [
      'autovacuum off for a table',
      judgeAutovacuum(server, [{ ...table, hasAutovacuum: false }]),
      'failed',
      'reset',
    ],
    ['many dead rows', judgeAutovacuum(server, [{ ...table, dead: 200_000 }]), 'warning', 'vacuum'],
    [
      'the transactions of other roles hidden',
      judgeTransaction(null, { ...server, seesOtherSessions: false }),
      'warning',
      'grant pg_monitor to "app"',
    ],
    ['a transaction of minutes', judgeTransaction(transaction, server), 'warning', 'pg_terminate_backend(7)'],
    [
      'a transaction of hours',
      judgeTransaction({ ...transaction, ageMs: 7_200_000 }, server),
      'failed',
      'terminate',
    ],
    ['no partition of the next month', judgePartitions(0), 'failed', 'worker'],
    ['a clock that is off', judgeClock({ offsetMs: -2_000, errorMs: 1 }), 'failed', 'NTP'],
    ['another encryption key', judgeEncryptionKey('different', true), 'failed', 'first installation'],
    ['a missing encryption key', judgeEncryptionKey('missing', false), 'failed', 'first installation'],
    ['no encryption key anywhere', judgeEncryptionKey('unused', false), 'warning', 'openssl'],
    [
      'a Redis that refuses the password',
      judgeRedisState('access_denied', 'WRONGPASS'),
      'failed',
      'REDIS_URL',
    ],
  ])('carillon doctor reports %s and says what to do', (_, check, status, advice) => {
    expect(check.status).toBe(status);
    expect(check.advice).toContain(advice);
  });

  it('carillon doctor names the workers whose clocks or time zone data differ', () => {
    const other = { ...worker, id: 2, host: 'b', tzdata: '2025b', clockOffsetMs: 5_000 };
    const checks = judgeWorkers([worker, other], '2026a');
    expect(statuses(checks)).toEqual(['failed', 'failed']);
    expect(checks[0]?.message).toContain('worker 2 on b');
    expect(checks[1]?.message).toContain('2025b');
    expect(statuses(judgeWorkers([], '2026a'))).toEqual(['warning', 'skipped']);
  });

  it('carillon doctor reports a Redis node that is too old, evicts keys or is slow, even if the other nodes are fine', () => {
    const bad = { version: '6.0.9', maxmemoryPolicy: 'allkeys-lru', latencyMs: 80 };
    expect(statuses(judgeRedisServers([redis, bad]))).toEqual(['failed', 'failed', 'warning']);
  });

  it('carillon doctor skips the check of an unreachable API, and repeats the problems that a reachable API reports', async () => {
    const away = await checkApi(() => Promise.reject(new Error('connect ECONNREFUSED')));
    expect(away.status).toBe('skipped');
    const reasons = [{ code: 'no_workers', message: 'Start one.' }];
    expect(await checkApi(async () => ({ status: 'degraded', reasons }))).toMatchObject({
      status: 'warning',
      advice: 'Start one.',
    });
    expect((await checkApi(async () => ({ status: 'down', reasons }))).status).toBe('failed');
  });
});
