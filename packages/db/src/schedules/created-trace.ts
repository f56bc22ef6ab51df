import type { Database } from '../database.js';
import { statement } from '../statement.js';

const update = statement<{ projectId: number; keys: readonly string[]; trace: string }>(
  'record-created-trace',
  `update carillon.schedules set created_trace = :trace
   where project_id = :projectId and key = any(:keys::text[]) and created_trace is null`,
);

/**
 * Records the trace (W3C `traceparent`) of the request that created these schedules, so that their runs can be linked
 * to it.
 */
export async function recordCreatedTrace(
  db: Database,
  created: { projectId: number; keys: readonly string[]; trace: string },
): Promise<void> {
  await update(db, created);
}

const select = statement<{ scheduleIds: readonly number[] }, { id: number; trace: string }>(
  'read-created-traces',
  `select id, created_trace as trace from carillon.schedules
   where id = any(:scheduleIds::bigint[]) and created_trace is not null`,
);

/**
 * The traces (W3C `traceparent`) of the requests that created these schedules, by the id of the schedule. There is no
 * filter by project, because a worker handles the schedules of all projects.
 */
export async function readCreatedTraces(
  db: Database,
  scheduleIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await select(db, { scheduleIds });
  return new Map(rows.map(({ id, trace }) => [id, trace]));
}
