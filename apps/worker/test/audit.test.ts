import { readEngineFacts } from '@carillon/db';
import { judgeHealth, MINUTE_MS } from '@carillon/shared';
import { eventually, useDatabase, useEngine } from '@carillon/testkit';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { runOccurrenceAudit } from '../src/loops/occurrence-audit.js';
import { startTestWorker, useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);
const engine = useEngine(database);
/**
 * Two hours ago, at a whole minute. The tests can work in the past, because the engine's statements take the time as an
 * argument.
 */
const T0 = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 120 * MINUTE_MS;
const iso = (at: number) => new Date(at).toISOString();
const signal = new AbortController().signal;

/** Creates schedules that ran three times, two hours ago, and have no further occurrence. */
const ranThreeTimes = (...keys: string[]) =>
  engine.insertWithHistory(
    keys.map((id) => ({ id, rule: { every: 'PT1M' }, maxRuns: 3 })),
    { fromAt: T0, minutes: 3 },
  );

const loseRun = (scheduleId: number | undefined, minute: number) =>
  database.pool.query('delete from carillon.runs where schedule_id = $1 and occurrence_at = $2', [
    scheduleId,
    iso(T0 + minute * MINUTE_MS),
  ]);

const auditAgain = () =>
  database.pool.query(
    'update carillon.installation set audited_until = null, audit_progress = null, audit_differences = 0, audit_differed_at = null',
  );

const counted = (name: string, labels = '') =>
  worker.context.metrics.totals().find((each) => each.name === name && each.labels === labels)?.value ?? 0;
const missing = () => counted('carillon_audit_differences_total', 'kind="missing"');

async function healthCodes(): Promise<string[]> {
  const engine = await readEngineFacts(database.pool, null);
  const { reasons } = judgeHealth({ isPostgresUp: true, engine, redis: 'up' });
  return reasons.map(({ code }) => code).filter((code) => code === 'audit_differences');
}

describe('the audit job', () => {
  it('the audit of occurrences reports nothing if every occurrence has its run, and it checks each occurrence once', async () => {
    await ranThreeTimes('sound-1', 'sound-2');
    await runOccurrenceAudit(worker.context, { signal });
    expect(counted('carillon_audited_occurrences_total')).toBe(6);
    await runOccurrenceAudit(worker.context, { signal });
    expect(counted('carillon_audited_occurrences_total')).toBe(6);
    expect(missing()).toBe(0);
    expect(await healthCodes()).toEqual([]);
  });

  it('an audit of occurrences that stops after its maximum number of schedules is continued from there by the next call', async () => {
    await auditAgain();
    const before = counted('carillon_audited_occurrences_total');
    await runOccurrenceAudit(worker.context, { signal, pages: 1 });
    const { rows } = await database.pool.query(
      'select audit_progress, audited_until from carillon.installation',
    );
    expect(rows[0]).toMatchObject({ audit_progress: expect.anything(), audited_until: null });
    await runOccurrenceAudit(worker.context, { signal });
    expect(counted('carillon_audited_occurrences_total')).toBe(before + 6);
    const { rows: after } = await database.pool.query('select audit_progress from carillon.installation');
    expect(after[0].audit_progress).toBeNull();
  });

  it('if two workers audit occurrences at the same time, an occurrence without a run is counted only once', async () => {
    const [lost] = await ranThreeTimes('twice');
    await loseRun(lost, 2);
    await auditAgain();
    await Promise.all([
      runOccurrenceAudit(worker.context, { signal }),
      runOccurrenceAudit(worker.context, { signal }),
    ]);
    expect(missing()).toBe(1);
  });

  it('if runs are deleted by hand in Postgres, the audit of occurrences logs them in one line, and the health status gives the reason audit_differences', async () => {
    const [lost] = await ranThreeTimes('lost');
    await loseRun(lost, 1);
    await loseRun(lost, 2);
    await database.pool.query(`delete from carillon.schedules where key = 'twice'`);
    await auditAgain();
    expect(await healthCodes()).toEqual([]);
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const running = await startTestWorker(database, { AUDIT_INTERVAL_SECONDS: '1' }, log);
    try {
      await eventually(async () => (await healthCodes()).length > 0);
      // The next audits begin where this one ended, and find nothing new.
      const { rows: first } = await database.pool.query(
        'select audited_until as at from carillon.installation',
      );
      await eventually(async () => {
        const { rows } = await database.pool.query('select audited_until as at from carillon.installation');
        return rows[0].at > first[0].at;
      });
      await eventually(async () => {
        const { rows } = await database.pool.query(
          `select value from carillon.metrics where name = 'carillon_audit_differences_total'`,
        );
        return rows.some(({ value }) => value === 2);
      });
    } finally {
      await running.stop();
    }
    const told = lines.filter(({ msg }) => String(msg).startsWith('Audit: '));
    expect(told).toMatchObject([
      {
        level: 40,
        differences: { missing: 2 },
        examples: [
          {
            project: 'default',
            schedule: 'lost',
            kind: 'missing',
            from: iso(T0 + MINUTE_MS),
            to: iso(T0 + 2 * MINUTE_MS),
            count: 2,
          },
        ],
      },
    ]);
    expect(await healthCodes()).toEqual(['audit_differences']);
  });
});
