import type { Pool } from 'pg';
import { NOW } from '../instants.js';
import { statement } from '../statement.js';

type Forget = { now: number | null };
/** Maximum number of rows that one statement deletes. */
const BATCH = 10_000;

const batched = (name: string, table: string, condition: string) =>
  statement<Forget, { id: number }>(
    name,
    `delete from carillon.${table} where id in (select id from carillon.${table} where ${condition} limit ${BATCH}) returning id`,
  );

/** Maximum number of pings that each schedule keeps, whatever their age. */
const MAX_PINGS = 1_000;

const OLD = [
  batched('forget-alerts', 'alerts', `resolved_at < ${NOW} - interval '90 days'`),
  batched('forget-alert-messages', 'alert_messages', `created_at < ${NOW} - interval '30 days'`),
  batched('forget-maintenance', 'maintenance_windows', `ends_at < ${NOW} - interval '30 days'`),
  batched('forget-pings', 'pings', `at < ${NOW} - interval '30 days'`),
  batched(
    'forget-many-pings',
    'pings',
    `id in (select id from (select id, row_number() over (partition by schedule_id order by at desc) as n from carillon.pings) as p
            where p.n > ${MAX_PINGS} and ${NOW} is not null)`,
  ),
];

/**
 * Deletes resolved alerts after 90 days, and messages, pings and past maintenance windows after 30. A schedule keeps
 * its latest 1,000 pings.
 */
export async function forgetAlerts(pool: Pool, now: number | null): Promise<void> {
  for (const forget of OLD) {
    let deleted = 0;
    do {
      deleted = (await forget(pool, { now })).length;
    } while (deleted === BATCH);
  }
}

const claimPing = statement<{ intervalMs: number; now: number | null }, object>(
  'claim-monitor-ping',
  `update carillon.installation set monitor_pinged_at = ${NOW}
   where monitor_pinged_at is null or monitor_pinged_at <= ${NOW} - :intervalMs::float8 * interval '1 millisecond'
   returning is_single`,
);

/** True for one worker per interval. That worker pings the outside monitor. */
export async function claimMonitorPing(
  pool: Pool,
  options: { intervalMs: number; now: number | null },
): Promise<boolean> {
  return (await claimPing(pool, options)).length > 0;
}
