import type { Database } from '../database.js';
import type { Counter } from '../engine/workers.js';
import { NOW } from '../instants.js';
import { statement } from '../statement.js';

/**
 * The growth of counters in the last minute, hour and day. Each of these windows begins at a whole minute and ends now.
 */
export interface CounterWindows {
  nowAt: number;
  minute: CounterWindow;
  hour: CounterWindow;
  day: CounterWindow;
}

export interface CounterWindow {
  fromAt: number;
  counters: Counter[];
}

type Row = { name: string; labels: string; minuteValue: number; hourValue: number; dayValue: number };

const THIS_MINUTE = `date_bin('1 minute', ${NOW}, 'epoch')`;
const beginsAt = (length: string) => `${THIS_MINUTE} - interval '${length}'`;
const sumSince = (length: string) => `coalesce(sum(value) filter (where minute >= ${beginsAt(length)}), 0)`;

const selectSums = statement<{ now: number | null }, Row>(
  'read-counter-windows',
  `select name, labels, ${sumSince('1 minute')} as "minuteValue", ${sumSince('1 hour')} as "hourValue",
          ${sumSince('1 day')} as "dayValue"
   from carillon.metric_minutes where minute >= ${beginsAt('1 day')} group by name, labels`,
);

const selectBounds = statement<
  { now: number | null },
  { nowAt: number; minuteAt: number; hourAt: number; dayAt: number }
>(
  'read-counter-window-bounds',
  `select ${NOW} as "nowAt", ${beginsAt('1 minute')} as "minuteAt", ${beginsAt('1 hour')} as "hourAt", ${beginsAt('1 day')} as "dayAt"`,
);

/** Reads the growth of the counters that are stored per minute, summed over all replicas. */
export async function readCounterWindows(db: Database, now: number | null): Promise<CounterWindows> {
  const [[bounds], rows] = await Promise.all([selectBounds(db, { now }), selectSums(db, { now })]);
  const { nowAt, minuteAt, hourAt, dayAt } = bounds as NonNullable<typeof bounds>;
  const windowOf = (fromAt: number, growthIn: (row: Row) => number): CounterWindow => ({
    fromAt,
    counters: rows.map((row) => ({ name: row.name, labels: row.labels, value: growthIn(row) })),
  });
  return {
    nowAt,
    minute: windowOf(minuteAt, ({ minuteValue }) => minuteValue),
    hour: windowOf(hourAt, ({ hourValue }) => hourValue),
    day: windowOf(dayAt, ({ dayValue }) => dayValue),
  };
}
