import type { Database } from '../database.js';
import type { AuditView } from './audit.js';
import { type RunView, SELECT_RUNS } from './runs.js';

/** How far the engine and the audit trail have got: where a stream of events begins. */
export interface Watermark {
  epoch: number;
  auditId: number;
}

export async function readWatermark(db: Database, projectId: number): Promise<Watermark> {
  const { rows } = await db.query<Watermark>({
    name: 'read-watermark',
    text: `select (select case when is_called then last_value else 0 end from leases_epoch_seq) as epoch,
                  (select coalesce(max(id), 0) from audit_log where project_id = $1) as "auditId"`,
    values: [projectId],
  });
  return rows[0] as Watermark;
}

/**
 * The runs of a project that were claimed under a later epoch, or under one of those given. Epochs only grow and are
 * indexed for the engine's own sake, so watching them costs nothing where nobody does.
 */
export async function readRunsByEpoch(
  db: Database,
  {
    projectId,
    afterEpoch,
    epochs,
    limit,
  }: { projectId: number; afterEpoch: number; epochs: readonly number[]; limit: number },
): Promise<RunView[]> {
  const { rows } = await db.query<RunView>({
    name: 'read-runs-by-epoch',
    text: `(${SELECT_RUNS} where r.project_id = $1 and r.epoch > $2 order by r.epoch limit $4)
           union all
           (${SELECT_RUNS} where r.project_id = $1 and r.epoch <= $2 and r.epoch = any($3::bigint[]) limit $4)`,
    values: [projectId, afterEpoch, epochs, limit],
  });
  return rows;
}

/** Runs that were accounted for without ever being claimed, among the latest occurrences. */
export async function readRecentSkips(
  db: Database,
  { projectId, sinceAt }: { projectId: number; sinceAt: Date },
): Promise<RunView[]> {
  const { rows } = await db.query<RunView>({
    name: 'read-recent-skips',
    text: `${SELECT_RUNS}
           where r.project_id = $1 and r.occurrence_at > $2::timestamptz - interval '10 seconds'
             and r.occurrence_at <= clock_timestamp() and r.status = 'skipped' and r.enqueued_at > $2
           order by r.occurrence_at limit 1000`,
    values: [projectId, sinceAt],
  });
  return rows;
}

/** The audit trail of a project behind an entry, in order. */
export async function readAuditAfter(
  db: Database,
  { projectId, afterId, limit }: { projectId: number; afterId: number; limit: number },
): Promise<AuditView[]> {
  const { rows } = await db.query<AuditView>({
    name: 'read-audit-after',
    text: `select id, at, actor, action, subject, detail from audit_log
           where project_id = $1 and id > $2 order by id limit $3`,
    values: [projectId, afterId, limit],
  });
  return rows;
}
