import type { RunIdentity } from '@carillon/shared';
import type { Pool } from 'pg';
import { fromMs, nowOr, numberArray, textArray, toMs } from '../sql-text.js';
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

/** A run that failed, and whom its schedule wants told. */
export interface FailedRun extends RunIdentity {
  projectId: number;
  scheduleKey: string;
  attempt: number;
  error: string | null;
  onFailure: string;
}

/** Of these runs, those whose schedule wants to be told of failures. */
export async function readToldOfFailure(pool: Pool, runs: readonly RunIdentity[]): Promise<FailedRun[]> {
  const { rows } = await pool.query<FailedRun>(
    `select r.schedule_id as "scheduleId", ${toMs('r.occurrence_at')} as "occurrenceAt", r.origin, r.project_id as "projectId",
            v.key as "scheduleKey", r.attempt, r.error, v.plan::json ->> 'onFailure' as "onFailure"
     from unnest($1::bigint[], $2::bigint[], $3::run_origin[]) as failed(schedule_id, occurrence_at, origin)
     join runs r on r.schedule_id = failed.schedule_id and r.occurrence_at = ${fromMs('failed.occurrence_at')}
       and r.origin = failed.origin
     join schedule_versions v on v.schedule_id = r.schedule_id and v.version = r.version
     where v.plan::json ->> 'onFailure' is not null`,
    [
      numberArray(runs.map((run) => run.scheduleId)),
      numberArray(runs.map((run) => run.occurrenceAt)),
      textArray(runs.map((run) => run.origin)),
    ],
  );
  return rows;
}

/** Receipts of runs that no worker could close. */
export async function insertReceipts(
  pool: Pool,
  receipts: readonly (Receipt & { projectId: number; scheduleId: number })[],
): Promise<void> {
  await pool.query(
    `insert into receipts (project_id, schedule_id, url, body, next_try_at)
     select *, clock_timestamp() from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])`,
    [
      numberArray(receipts.map((receipt) => receipt.projectId)),
      numberArray(receipts.map((receipt) => receipt.scheduleId)),
      textArray(receipts.map((receipt) => receipt.url)),
      textArray(receipts.map((receipt) => receipt.body)),
    ],
  );
}
