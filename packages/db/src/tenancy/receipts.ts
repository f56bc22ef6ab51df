import type { RunIdentity } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Receipt } from '../engine/close-runs.js';
import { INSTALLATION_IS_RELEASED } from '../engine/fencing.js';
import { divideBatch, type ProjectShare, SHARES, type ShareParameters } from '../engine/project-shares.js';
import { milliseconds, NOW } from '../instants.js';
import { definitionOf } from '../schedules/definition.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';

/** A receipt (a signed message about the end of a run) that this worker has taken and must send. */
export interface TakenReceipt extends Receipt {
  id: number;
  projectId: number;
  scheduleId: number;
  /** Number of tries, this one included. */
  tries: number;
}

/**
 * A worker that has recorded no result for a receipt after this time counts as lost, and another worker takes the
 * receipt.
 */
const TAKEN_FOR = `interval '1 minute'`;

const taken = (due: string) => `
   update carillon.receipts set tries = tries + 1, next_try_at = ${NOW} + ${TAKEN_FOR}
   where id in (${due})
   returning id, project_id as "projectId", schedule_id as "scheduleId", url, body, tries`;

const takeEarliest = statement<{ limit: number; now: number | null }, TakenReceipt>(
  'take-receipts',
  taken(`select id from carillon.receipts where next_try_at <= ${NOW} and ${INSTALLATION_IS_RELEASED}
     order by next_try_at limit :limit for update skip locked`),
);

const takeShares = statement<{ limit: number; now: number | null } & ShareParameters, TakenReceipt>(
  'take-receipts-by-shares',
  taken(`select due.id from ${SHARES}, lateral (
       select r.id from carillon.receipts r where r.project_id = share.project_id and r.next_try_at <= ${NOW} and ${INSTALLATION_IS_RELEASED}
       order by r.next_try_at limit share.most for update skip locked
     ) as due limit :limit`),
);

export interface TakeReceiptsOptions {
  limit: number;
  /**
   * Receipts are taken only for these projects, which share the batch. If empty, the earliest receipts of all projects
   * are taken.
   */
  fairTo: readonly ProjectShare[];
  now: number | null;
}

export function takeReceipts(
  pool: Pool,
  { limit, fairTo, now }: TakeReceiptsOptions,
): Promise<TakenReceipt[]> {
  return fairTo.length > 0
    ? takeShares(pool, { limit, now, ...divideBatch(limit, fairTo) })
    : takeEarliest(pool, { limit, now });
}

const drop = statement<{ ids: string }>(
  'drop-receipts',
  'delete from carillon.receipts where id = any(:ids::bigint[])',
);

/** Deletes receipts that were sent, or given up. */
export async function dropReceipts(pool: Pool, ids: readonly number[]): Promise<void> {
  await drop(pool, { ids: arrayOf(ids) });
}

export interface DelayedReceipt {
  id: number;
  retryInMs: number;
  tries: number;
}

const delays = batch<DelayedReceipt>('delayed', { id: 'bigint', retryInMs: 'bigint', tries: 'int' });

const delay = statement<Values>(
  'delay-receipts',
  `update carillon.receipts r
   set next_try_at = ${NOW} + ${milliseconds('delayed.retry_in_ms')}, tries = delayed.tries
   from ${delays.source} where r.id = delayed.id`,
);

/** Delays receipts until their next try. */
export async function delayReceipts(
  pool: Pool,
  delayed: readonly DelayedReceipt[],
  now: number | null,
): Promise<void> {
  await delay(pool, { now, ...delays.of(delayed) });
}

/** A run that failed, and the URL to which its failure receipt goes. */
export interface FailedRun extends RunIdentity {
  projectId: number;
  scheduleKey: string;
  attempt: number;
  error: string | null;
  onFailure: string;
}

const failures = batch<RunIdentity>('failed', {
  scheduleId: 'bigint',
  occurrenceAt: 'instant',
  origin: 'carillon.run_origin',
});

const selectFailures = statement<Values, FailedRun>(
  'read-runs-with-failure-url',
  `select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin, r.project_id as "projectId",
          definition.key as "scheduleKey", r.attempt, r.error, definition.plan::json ->> 'onFailure' as "onFailure"
   from ${failures.source}
   join carillon.runs r on r.schedule_id = failed.schedule_id and r.occurrence_at = failed.occurrence_at
     and r.origin = failed.origin
   ${definitionOf('r')}
   where definition.plan::json ->> 'onFailure' is not null`,
);

/** Selects the given runs whose schedule has an `onFailure` URL, and reads that URL. */
export function readRunsWithFailureUrl(pool: Pool, runs: readonly RunIdentity[]): Promise<FailedRun[]> {
  return selectFailures(pool, failures.of(runs));
}

type NewReceipt = Receipt & { projectId: number; scheduleId: number };

const newReceipts = batch<NewReceipt>('receipt', {
  projectId: 'bigint',
  scheduleId: 'bigint',
  url: 'text',
  body: 'text',
});

const insert = statement<Values>(
  'insert-receipts',
  `insert into carillon.receipts (project_id, schedule_id, url, body, next_try_at)
   select project_id, schedule_id, url, body, clock_timestamp() from ${newReceipts.source}`,
);

/** Inserts the receipts of runs that the sweep has closed because their worker was lost. */
export async function insertReceipts(pool: Pool, receipts: readonly NewReceipt[]): Promise<void> {
  await insert(pool, newReceipts.of(receipts));
}
