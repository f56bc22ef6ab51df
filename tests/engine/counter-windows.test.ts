import { addMetrics, readCounterWindows } from '@carillon/db';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@carillon/shared';
import { useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();
/** The beginning of a minute, of an hour, but not of a day. */
const T0 = Date.parse('2026-03-02T10:00:00Z');

it('the last minute, hour and day of a counter begin 1 minute, 1 hour and 1 day before the current minute, and include the current minute', async () => {
  const name = 'carillon_queue_wait_seconds_bucket';
  const labels = 'le="0.5"';
  // Each value sets another digit of a sum, so the digits show which values a window includes.
  const counted: [at: number, value: number][] = [
    [T0 + 29 * SECOND_MS, 1],
    [T0 - MINUTE_MS, 10],
    [T0 - MINUTE_MS - 1, 100],
    [T0 - HOUR_MS, 1_000],
    [T0 - HOUR_MS - 1, 10_000],
    [T0 - DAY_MS, 100_000],
    [T0 - DAY_MS - 1, 1_000_000],
  ];
  for (const [at, value] of counted) await addMetrics(database.pool, [{ name, labels, value }], at);
  // This counter is not stored by the minute, because no window shows it.
  await addMetrics(database.pool, [{ name: 'jobs_due_total', labels: '', value: 1 }], T0);

  const nowAt = T0 + 30 * SECOND_MS;
  const counters = (value: number) => [{ name, labels, value }];
  expect(await readCounterWindows(database.pool, nowAt)).toEqual({
    nowAt,
    minute: { fromAt: T0 - MINUTE_MS, counters: counters(11) },
    hour: { fromAt: T0 - HOUR_MS, counters: counters(1_111) },
    day: { fromAt: T0 - DAY_MS, counters: counters(111_111) },
  });
});
