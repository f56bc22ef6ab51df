import type { Pool } from 'pg';
import { nowOr, numberArray } from '../sql-text.js';
import type { Receipt } from './close-runs.js';

/** A receipt that is this worker's to send. */
export interface TakenReceipt extends Receipt {
  id: number;
  projectId: number;
  scheduleId: number;
  /** How often it has been tried, this time included. */
  tries: number;
}

/** For so long a receipt that was taken is nobody else's; then the worker that took it counts as lost. */
const TAKEN_FOR = `interval '1 minute'`;

/** Takes receipts that are due. */
export async function takeReceipts(
  pool: Pool,
  { limit, now }: { limit: number; now: number | null },
): Promise<TakenReceipt[]> {
  const { rows } = await pool.query<TakenReceipt>({
    name: 'take-receipts',
    text: `update receipts set tries = tries + 1, next_try_at = ${nowOr('$1')} + ${TAKEN_FOR}
           where id in (
             select id from receipts where next_try_at <= ${nowOr('$1')} order by next_try_at limit $2 for update skip locked
           )
           returning id, project_id as "projectId", schedule_id as "scheduleId", url, body, tries`,
    values: [now, limit],
  });
  return rows;
}

/** Receipts that were sent, or given up. */
export async function dropReceipts(pool: Pool, ids: readonly number[]): Promise<void> {
  await pool.query({
    name: 'drop-receipts',
    text: `delete from receipts where id = any($1::bigint[])`,
    values: [numberArray(ids)],
  });
}

export interface DelayedReceipt {
  id: number;
  retryInMs: number;
  tries: number;
}

export async function delayReceipts(
  pool: Pool,
  delayed: readonly DelayedReceipt[],
  now: number | null,
): Promise<void> {
  await pool.query({
    name: 'delay-receipts',
    text: `update receipts r set next_try_at = ${nowOr('$1')} + delayed.retry_in_ms * interval '1 millisecond', tries = delayed.tries
           from unnest($2::bigint[], $3::bigint[], $4::int[]) as delayed(id, retry_in_ms, tries)
           where r.id = delayed.id`,
    values: [
      now,
      numberArray(delayed.map(({ id }) => id)),
      numberArray(delayed.map(({ retryInMs }) => retryInMs)),
      numberArray(delayed.map(({ tries }) => tries)),
    ],
  });
}
