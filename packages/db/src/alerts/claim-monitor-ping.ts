import type { Pool } from 'pg';
import { NOW } from '../instants.js';
import { statement } from '../statement.js';

const claimPing = statement<{ intervalMs: number; now: number | null }, object>(
  'claim-monitor-ping',
  `update carillon.installation set monitor_pinged_at = ${NOW}
   where monitor_pinged_at is null or monitor_pinged_at <= ${NOW} - :intervalMs::float8 * interval '1 millisecond'
   returning is_single`,
);

/**
 * Returns true to only one worker per interval. That worker then tells the operator's outside monitor, by an HTTP
 * request, that Carillon is alive.
 */
export async function claimMonitorPing(
  pool: Pool,
  options: { intervalMs: number; now: number | null },
): Promise<boolean> {
  return (await claimPing(pool, options)).length > 0;
}
