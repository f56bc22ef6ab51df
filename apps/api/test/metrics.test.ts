import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
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
});
