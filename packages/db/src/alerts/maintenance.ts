import type { Database } from '../database.js';
import { inTransaction } from '../database.js';
import { instant, NOW } from '../instants.js';
import { statement, type Values } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';

/** A maintenance window: a period in which missed objectives are recorded but not reported. */
export interface MaintenanceView {
  id: number;
  /** Null for the whole project. */
  schedule: string | null;
  startsAt: number;
  endsAt: number;
  note: string | null;
  createdBy: string;
}

const VIEW = `id, schedule_key as schedule, starts_at as "startsAt", ends_at as "endsAt", note, created_by as "createdBy"`;

const insert = statement<Values, MaintenanceView>(
  'insert-maintenance',
  `insert into carillon.maintenance_windows (project_id, schedule_key, starts_at, ends_at, note, created_by)
   values (:projectId, :schedule, ${instant(':startsAt')}, ${instant(':endsAt')}, :note, :actor) returning ${VIEW}`,
);

export function createMaintenance(
  db: Database,
  { projectId, actor }: { projectId: number; actor: string },
  window: Pick<MaintenanceView, 'schedule' | 'startsAt' | 'endsAt' | 'note'>,
): Promise<MaintenanceView> {
  return inTransaction(db, async (tx) => {
    const [created] = await insert(tx, { projectId, actor, ...window });
    const key = window.schedule;
    await recordAudit(tx, { projectId, actor, key, action: 'maintenance.created', detail: created });
    return created as MaintenanceView;
  });
}

const select = statement<Values, MaintenanceView>(
  'list-maintenance',
  `select ${VIEW} from carillon.maintenance_windows
   where project_id = :projectId and id > coalesce(:afterId::bigint, 0) and ends_at > ${NOW} order by id limit :limit`,
);

/** Lists the maintenance windows of a project that have not ended. */
export function listMaintenance(
  db: Database,
  page: { projectId: number; limit: number; afterId: number | null; now: number | null },
): Promise<MaintenanceView[]> {
  return select(db, page);
}

const remove = statement<{ projectId: number; id: number }, MaintenanceView>(
  'delete-maintenance',
  `delete from carillon.maintenance_windows where project_id = :projectId and id = :id returning ${VIEW}`,
);

/**
 * Removes a maintenance window. Alerts that the window has withheld, and that are still open, are then reported.
 * Returns false if there is no such window.
 */
export function deleteMaintenance(
  db: Database,
  { projectId, actor, id }: { projectId: number; actor: string; id: number },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const [deleted] = await remove(tx, { projectId, id });
    if (!deleted) return false;
    const key = deleted.schedule;
    await recordAudit(tx, { projectId, actor, key, action: 'maintenance.deleted', detail: deleted });
    return true;
  });
}
