import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { registerWorker } from '@carillon/db';
import { eventually, insertSchedules } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { ForecastGauge } from '../src/metrics/forecast-gauge.js';
import { useApi } from './use-api.js';

const api = useApi();

describe('Metrics', () => {
  it('every line of /metrics is a comment or a sample, and promtool, if installed, finds no fault', async () => {
    await api.database.pool.query(
      `insert into carillon.metrics (name, labels, value) values
         ('carillon_drift_total', 'kind="overdue"', 2), ('carillon_drift_total', 'kind="missingBells"', 3),
         ('carillon_lateness_seconds_bucket', 'le="0.01"', 4), ('carillon_lateness_seconds_bucket', 'le="+Inf"', 1),
         ('carillon_lateness_seconds_sum', '', 9), ('carillon_lateness_seconds_count', '', 5)`,
    );
    const { text, headers } = await api.call('GET', '/metrics', { key: null });
    expect(headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(text).toContain('carillon_drift_total{kind="overdue"} 2');
    expect(text).toContain('carillon_lateness_seconds_bucket{le="0.01"} 4');
    expect(text).toContain('carillon_lateness_seconds_bucket{le="+Inf"} 5');
    expect(text).toMatch(/^process_cpu_seconds_total [\d.]+$/m);
    const promtool = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    if (promtool.error) {
      console.log(
        'promtool is not installed (Debian package prometheus): only the syntax of lines is checked',
      );
      for (const line of text.trim().split('\n'))
        expect(line).toMatch(/^(|# (HELP|TYPE) \w+ .*|\w+(\{.*\})? \S+)$/);
    } else expect(`${promtool.stdout}${promtool.stderr}`).toBe('');
  });

  it('/metrics shows the age of the oldest due run that a live worker could deliver, the age of the oldest open transaction, and the clock offset of each live worker', async () => {
    const { pool } = api.database;
    const [deliverable, held, unknown] = await insertSchedules(
      api.database,
      ['noop', 'noop', 'unknown'].map((name) => ({
        rule: { cron: '0 9 1 1 *' },
        target: { type: 'handler', name },
      })),
    );
    await pool.query(
      `update carillon.agenda set due_at = now() - case schedule_id when $1 then interval '1 hour' else interval '2 hours' end,
         is_held = schedule_id = $2 where schedule_id in ($1, $2, $3)`,
      [deliverable, held, unknown],
    );
    const startWorker = async (clockOffsetMs: number): Promise<number> => {
      const identity = { host: 'a', pid: 1, token: randomUUID(), tzdata: '2026a' };
      const { workerId } = await registerWorker(pool, {
        ...identity,
        handlers: ['noop'],
        heartbeatIntervalMs: 600_000,
      });
      await pool.query('update carillon.workers set clock_offset_ms = $2 where id = $1', [
        workerId,
        clockOffsetMs,
      ]);
      return workerId;
    };
    const [slow, fast, lost] = [await startWorker(-1_500), await startWorker(250), await startWorker(90_000)];
    await pool.query('update carillon.workers set alive_until = now() where id = $1', [lost]);

    const client = await pool.connect();
    try {
      await client.query('begin');
      const readAge = async (): Promise<number> =>
        (await client.query('select extract(epoch from clock_timestamp() - now())::float8 as age')).rows[0]
          .age;
      const age = await eventually(
        async () => {
          const open = await readAge();
          return open > 0.1 && open;
        },
        { what: 'a transaction that is open for 100 ms' },
      );
      const figure = (name: string, text: string) =>
        Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
      // An answer may be a second old.
      const text = await eventually(
        async () => {
          const scraped = (await api.call('GET', '/metrics', { key: null })).text;
          const isNew = figure('carillon_oldest_due_seconds', scraped) > 0;
          return isNew && figure('carillon_longest_transaction_seconds', scraped) >= age && scraped;
        },
        { what: 'the ages of the due run and of the open transaction in /metrics', withinMs: 10_000 },
      );
      // The upper limits are far off, for a busy machine. They tell seconds from milliseconds.
      expect(figure('carillon_longest_transaction_seconds', text)).toBeLessThan(100);
      expect(figure('carillon_oldest_due_seconds', text)).toBeGreaterThanOrEqual(3_600);
      expect(figure('carillon_oldest_due_seconds', text)).toBeLessThan(3_700);
      expect(figure('carillon_due_without_handler', text)).toBe(1);
      const offsets = [...text.matchAll(/^carillon_clock_offset_seconds\{worker="(\d+)"\} (\S+)$/gm)];
      expect(offsets.map(([, worker, offset]) => [Number(worker), Number(offset)])).toEqual([
        [slow, -1.5],
        [fast, 0.25],
      ]);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('if the rule of one schedule can no longer be evaluated, /metrics still shows the forecast of the other schedules', async () => {
    const input = { rule: { cron: '* * * * *' }, timezone: 'Europe/Berlin' };
    const [id] = await insertSchedules(api.database, [input, input]);
    await api.database.pool.query(
      `update carillon.schedules set timing = replace(timing, 'Europe/Berlin', 'Mars/Base') where id = $1`,
      [id],
    );
    const { values } = await new ForecastGauge(api.database.pool).read();
    const hour = values.find(({ labels }) => labels?.window === '60m');
    // One schedule fires in each of the next 60 minutes. The other one, whose rule can't be evaluated, counts only with
    // its stored next occurrence.
    expect(hour?.value).toBeGreaterThanOrEqual(60);
    expect(hour?.value).toBeLessThanOrEqual(62);
  });
});
