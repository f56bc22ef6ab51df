import { encodeRunId, type RunIdentity } from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { writeDownOf } from '../queries/write-down.js';
import type { RunStatus } from '../reading/runs.js';
import { fromMs } from '../sql-text.js';
import { type Change, type ChangeResult, changeSchedule } from './change-schedule.js';
import type { LockedSchedule } from './locked-schedule.js';

/** Who asks for a change, and of which run. */
export interface RunChangeRequest {
  projectId: number;
  run: RunIdentity;
  actor: string;
  now?: number | null;
}

export const IS_RUN = `schedule_id = $1 and occurrence_at = ${fromMs('$2::bigint')} and origin = $3`;
export const runValues = ({ scheduleId, occurrenceAt, origin }: RunIdentity) => [
  scheduleId,
  occurrenceAt,
  origin,
];

/** Makes one change to one run, under the locks of its schedule and of itself, in this order like everybody else. */
export async function changeRun<T>(
  db: Database,
  { projectId, run, actor, now = null }: RunChangeRequest,
  change: (tx: Transaction, schedule: LockedSchedule, status: RunStatus) => Promise<Change<T>>,
): Promise<ChangeResult<T>> {
  const { rowCount } = await db.query(`select from every_run where ${IS_RUN} and project_id = $4`, [
    ...runValues(run),
    projectId,
  ]);
  if (rowCount === 0) return { kind: 'not_found' };
  return changeSchedule(db, { ref: { id: run.scheduleId }, actor, now }, async (tx, schedule) => {
    await writeDownOf(tx, schedule.id);
    const { rows } = await tx.query<{ status: RunStatus }>(
      `select status from runs where ${IS_RUN} for update`,
      runValues(run),
    );
    const { audit, ...changed } = await change(tx, schedule, (rows[0] as { status: RunStatus }).status);
    return { ...changed, audit: { ...audit, detail: { run: encodeRunId(run) } } };
  });
}
