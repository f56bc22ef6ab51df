import { spawnSync } from 'node:child_process';
import { insertSchedules } from '@carillon/testkit';
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
