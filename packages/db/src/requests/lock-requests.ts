import type { ProjectLimits, Target } from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { statement } from '../statement.js';

/** A call of one of Carillon's SQL functions that is still to be carried out. */
export interface SqlRequest {
  id: number;
  projectId: number;
  action: 'schedule' | 'cancel' | 'trigger';
  /** The id of the schedule. */
  key: string;
  /** JSON text of the schedule in the format of the API, without its id; null for the other actions. */
  body: string | null;
  actor: string;
  /** When the function was called, by Postgres's clock. */
  requestedAt: number;
}

/** A project that has requests by SQL, with the settings by which they are validated. */
export interface RequestingProject {
  id: number;
  key: string;
  defaultTarget: Target | null;
  limits: ProjectLimits;
}

const selectProject = statement<{ afterId: number }, RequestingProject>(
  'read-requesting-project',
  `select p.id, p.key, p.default_target as "defaultTarget", p.limits from carillon.projects p
   where p.id = (select min(project_id) from carillon.sql_requests where project_id > :afterId)`,
);

/**
 * The project with the lowest id above `afterId` that has requests; null if there is none. Projects take turns, so that
 * a project with a million requests does not hold up the others.
 */
export async function readRequestingProject(
  db: Database,
  afterId: number,
): Promise<RequestingProject | null> {
  const [project] = await selectProject(db, { afterId });
  return project ?? null;
}

const select = statement<{ projectId: number; limit: number }, SqlRequest>(
  'lock-sql-requests',
  `select r.id, r.project_id as "projectId", r.action, r.key, r.body::text as body, r.actor, r.requested_at as "requestedAt"
   from carillon.sql_requests r
   where r.project_id = :projectId and not exists (
     select from carillon.sql_requests earlier
     where earlier.project_id = :projectId and earlier.key = r.key and earlier.id < r.id
   )
   order by r.id limit :limit for update skip locked`,
);

/**
 * Locks the oldest requests of a project, at most one for each schedule. So the requests for one schedule are carried
 * out in the order of their calls, with any number of workers. Requests that another worker has locked, or that the
 * SQL function `cancel` is deleting, are skipped.
 */
export function lockRequests(
  tx: Transaction,
  batch: { projectId: number; limit: number },
): Promise<SqlRequest[]> {
  return select(tx, batch);
}
