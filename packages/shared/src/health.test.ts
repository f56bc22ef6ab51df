import { describe, expect, it } from 'vitest';
import { type EngineFacts, judgeHealth, type RedisState } from './health.js';
import { HOLD_CODES } from './lost-time.js';

const WELL: EngineFacts = {
  now: 1_000_000,
  heldCode: null,
  workersAlive: 1,
  sweepIntervalMs: 5_000,
  oldestDeliverableAt: null,
  dueWithoutHandler: 0,
  largestClockOffsetMs: 0,
  openCircuits: 0,
  failedLately: 0,
  succeededLately: 0,
  driftByMinute: [0, 0, 0],
  missingPartitions: 0,
  tzdataVersions: ['2026a'],
  auditDifferences: 0,
};

const judge = (engine: Partial<EngineFacts> | null, redis: RedisState = 'up') => {
  const facts = { isPostgresUp: engine !== null, engine: engine && { ...WELL, ...engine }, redis };
  const { status, reasons } = judgeHealth(facts);
  return [status, ...reasons.map(({ code }) => code)];
};

describe('judgeHealth', () => {
  it('an installation with nothing wrong is ok and gives no reason', () => {
    expect(judge({})).toEqual(['ok']);
  });

  it('an installation is degraded once a run has been due for longer than two sweep intervals, and not before', () => {
    expect(judge({ oldestDeliverableAt: WELL.now - 10_000 })).toEqual(['ok']);
    expect(judge({ oldestDeliverableAt: WELL.now - 10_001 })).toEqual(['degraded', 'overdue']);
    expect(judge({ oldestDeliverableAt: WELL.now - 10_001, sweepIntervalMs: 60_000 })).toEqual(['ok']);
  });

  it('an installation is degraded if no live worker has the handler of a due run; if no worker is alive, the only reason given is no_workers', () => {
    expect(judge({ dueWithoutHandler: 3 })).toEqual(['degraded', 'handler_missing']);
    expect(judge({ dueWithoutHandler: 3, workersAlive: 0 })).toEqual(['degraded', 'no_workers']);
  });

  it('an installation is degraded if the clock of a worker is more than a second ahead of or behind that of Postgres', () => {
    expect(judge({ largestClockOffsetMs: -1_000 })).toEqual(['ok']);
    expect(judge({ largestClockOffsetMs: -1_001 })).toEqual(['degraded', 'clock_offset']);
    expect(judge({ largestClockOffsetMs: 90_000 })).toEqual(['degraded', 'clock_offset']);
  });

  it('an open circuit breaker degrades an installation, because deliveries wait for it', () => {
    expect(judge({ openCircuits: 1 })).toEqual(['degraded', 'circuits_open']);
  });

  it('ten runs that failed for good in five minutes degrade an installation if they are at least a twentieth of the ended runs', () => {
    expect(judge({ failedLately: 9 })).toEqual(['ok']);
    expect(judge({ failedLately: 10, succeededLately: 191 })).toEqual(['ok']);
    expect(judge({ failedLately: 10, succeededLately: 190 })).toEqual(['degraded', 'dead_letters_rising']);
  });

  it('an installation is degraded if sweeps repaired drift in each of the last three minutes, and in the last minute no less than in the first', () => {
    expect(judge({ driftByMinute: [9, 8, 1] })).toEqual(['ok']);
    expect(judge({ driftByMinute: [0, 8, 9] })).toEqual(['ok']);
    expect(judge({ driftByMinute: [8, 1, 8] })).toEqual(['degraded', 'drift_not_falling']);
  });

  it('an installation is degraded if the history tables have no partition for the current or the next month', () => {
    expect(judge({ missingPartitions: 1 })).toEqual(['degraded', 'partitions_missing']);
  });

  it('workers with different time zone data degrade an installation', () => {
    expect(judge({ tzdataVersions: ['2026a', '2026b'] })).toEqual(['degraded', 'tzdata_differs']);
  });

  it('an installation is degraded if the audit found a difference between the occurrences of a schedule and the runs that exist', () => {
    expect(judge({ auditDifferences: 1 })).toEqual(['degraded', 'audit_differences']);
  });

  it.each(['down', 'read_only', 'out_of_memory', 'access_denied', 'cross_slot'] as const)(
    'a Redis that is %s degrades an installation and is named as the reason',
    (redis) => {
      expect(judge({}, redis)).toEqual(['degraded', `redis_${redis}`]);
    },
  );

  it('an installation that runs without Redis is ok', () => {
    expect(judge({}, 'off')).toEqual(['ok']);
  });

  it('an installation is degraded, not down, if Postgres answers but the state of the engine cannot be read', () => {
    const { status, reasons } = judgeHealth({ isPostgresUp: true, engine: null, redis: 'up' });
    expect([status, reasons[0]?.code]).toEqual(['degraded', 'engine_unreadable']);
  });

  it('an installation without Postgres is down, and still lists its other problems', () => {
    expect(judge(null)).toEqual(['down', 'postgres_down']);
    expect(judge(null, 'down')).toEqual(['down', 'postgres_down', 'redis_down']);
  });

  it.each(HOLD_CODES)(
    'an installation whose workers claim nothing until an operator decides is degraded, and the reason names `carillon restore` (%s)',
    (heldCode) => {
      const facts = { ...WELL, heldCode, oldestDeliverableAt: 0 };
      const { status, reasons } = judgeHealth({ isPostgresUp: true, engine: facts, redis: 'up' });
      expect(status).toBe('degraded');
      // Everything that is due waits for the operator, so overdue runs are no reason of their own.
      expect(reasons.map(({ code }) => code)).toEqual([heldCode]);
      expect(reasons[0]?.message).toContain('carillon restore');
    },
  );
});
