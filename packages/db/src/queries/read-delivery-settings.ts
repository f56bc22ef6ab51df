import type { Pool } from 'pg';
import { nowOr, numberArray } from '../sql-text.js';

/** What a project has set for its deliveries, and among how many workers its limits are shared. */
export interface DeliverySettings {
  deliveriesPerSecond: number | null;
  concurrentDeliveries: number | null;
  /** Newest first. */
  sealedSecrets: Buffer[];
  workers: number;
}

/** Of the secrets that are valid, two at most: the one that holds, and the one that it replaced. */
const VALID = `(expires_at is null or expires_at > ${nowOr('null')})`;
const MOST_VALID = 2;

/** A worker that has not been heard of for this long is not counted. */
const SILENT = `interval '30 seconds'`;

export async function readDeliverySettings(pool: Pool, projectId: number): Promise<DeliverySettings> {
  const { rows } = await pool.query<DeliverySettings>({
    name: 'read-delivery-settings',
    text: `select (limits ->> 'deliveriesPerSecond')::float8 as "deliveriesPerSecond",
                  (limits ->> 'concurrentDeliveries')::int as "concurrentDeliveries",
                  array(select sealed from webhook_secrets s
                        where s.project_id = p.id and s.schedule_id is null and ${VALID}
                        order by s.id desc limit ${MOST_VALID}) as "sealedSecrets",
                  (select greatest(1, count(*))::int from workers
                   where stopped_at is null and heartbeat_at > clock_timestamp() - ${SILENT}) as workers
           from projects p where p.id = $1`,
    values: [projectId],
  });
  return rows[0] ?? { deliveriesPerSecond: null, concurrentDeliveries: null, sealedSecrets: [], workers: 1 };
}

/** The valid secrets of schedules that have their own, newest first. */
export async function readScheduleSecrets(
  pool: Pool,
  scheduleIds: readonly number[],
): Promise<Map<number, Buffer[]>> {
  const { rows } = await pool.query<{ schedule_id: number; sealed: Buffer }>({
    name: 'read-schedule-secrets',
    text: `select schedule_id, sealed from webhook_secrets
           where schedule_id = any($1::bigint[]) and ${VALID} order by id desc`,
    values: [numberArray(scheduleIds)],
  });
  const found = new Map<number, Buffer[]>();
  for (const { schedule_id, sealed } of rows) {
    const secrets = found.get(schedule_id) ?? [];
    if (secrets.length < MOST_VALID) found.set(schedule_id, [...secrets, sealed]);
  }
  return found;
}
