import type { Database } from '../database.js';
import { monthOf } from '../instants.js';
import { statement } from '../statement.js';

/** Number of consecutive months after the current one that have their partitions; -1 if the current month has none. */
export async function readMonthsAhead(db: Database): Promise<number> {
  const rows = await selectMonths(db, {});
  const missing = rows.findIndex(({ isThere }) => !isThere);
  return (missing === -1 ? rows.length : missing) - 1;
}

const THIS_MONTH = monthOf('clock_timestamp()');

const selectMonths = statement<Record<string, never>, { isThere: boolean }>(
  'doctor-months',
  `select to_regclass('carillon.runs_' || to_char(${THIS_MONTH} + ahead * interval '1 month', 'YYYY_MM')) is not null
          and to_regclass('carillon.attempts_' || to_char(${THIS_MONTH} + ahead * interval '1 month', 'YYYY_MM')) is not null as "isThere"
   from generate_series(0, 3) as ahead order by ahead`,
);

export interface LiveWorker {
  id: number;
  host: string;
  /** The version of the worker's time zone data; null for a worker that runs an older version of Carillon. */
  tzdata: string | null;
  /** How far the worker's clock is ahead of Postgres's. */
  clockOffsetMs: number;
}

export const readLiveWorkers = statement<Record<string, never>, LiveWorker>(
  'doctor-live-workers',
  `select id, host, tzdata, clock_offset_ms as "clockOffsetMs" from carillon.workers
   where stopped_at is null and alive_until > clock_timestamp() order by id`,
);
