import type { Database } from '../database.js';
import { statement, type Values } from '../statement.js';

/** How far a bulk action has got. */
export interface BulkProgress {
  matched: number;
  changed: number;
  refused: number;
  refusals: { id: string; reason: string }[];
  /** The id of the last schedule that the action has looked at; null if no schedules are left. */
  lastId: number | null;
}

export interface BulkActionView extends BulkProgress {
  id: string;
  action: string;
  actor: string;
  total: number | null;
  startedAt: number;
  reportedAt: number;
  finishedAt: number | null;
  error: string | null;
  /** True if the API process that works on the action has not reported its progress for a minute. */
  isLost: boolean;
}

const insert = statement<NewBulkAction, { id: string }>(
  'create-bulk-action',
  `insert into carillon.bulk_actions (project_id, action, actor, total, request_key, request_hash)
   values (:projectId, :action, :actor, :total, :requestKey, :requestHash)
   on conflict (project_id, request_key) where request_key is not null do nothing
   returning id`,
);

export interface NewBulkAction {
  projectId: number;
  action: string;
  actor: string;
  total: number | null;
  /** The Idempotency-Key; null if the request has none. */
  requestKey: string | null;
  requestHash: string;
}

/** Returns the id of the new action; null if the Idempotency-Key was used before. */
export async function createBulkAction(db: Database, action: NewBulkAction): Promise<string | null> {
  const [made] = await insert(db, action);
  return made?.id ?? null;
}

const PROGRESS = `matched = :matched, changed = :changed, refused = :refused, refusals = :refusals, last_id = :lastId,
  reported_at = clock_timestamp()`;
const report = statement<Values>(
  'report-bulk-action',
  `update carillon.bulk_actions set ${PROGRESS} where id = :id and project_id = :projectId`,
);
const finish = statement<Values>(
  'finish-bulk-action',
  `update carillon.bulk_actions set ${PROGRESS}, finished_at = clock_timestamp(), error = :error
   where id = :id and project_id = :projectId`,
);

interface ActionRef {
  id: string;
  projectId: number;
}

const valuesOf = (progress: BulkProgress): Values => ({
  ...progress,
  refusals: JSON.stringify(progress.refusals),
});

/** Records how far a bulk action has got, so that other requests can read it. */
export async function reportBulkAction(db: Database, ref: ActionRef, progress: BulkProgress): Promise<void> {
  await report(db, { ...ref, ...valuesOf(progress) });
}

/** Records that a bulk action has ended. With an error it ended early, and `lastId` says where to continue. */
export async function finishBulkAction(
  db: Database,
  ref: ActionRef,
  progress: BulkProgress & { error: string | null },
): Promise<void> {
  await finish(db, { ...ref, ...valuesOf(progress), error: progress.error });
}

const SELECT = `select id, action, actor, total, matched, changed, refused, refusals, last_id as "lastId", started_at as "startedAt",
          reported_at as "reportedAt", finished_at as "finishedAt", error,
          finished_at is null and reported_at < clock_timestamp() - interval '1 minute' as "isLost"
   from carillon.bulk_actions`;
const select = statement<ActionRef, BulkActionView>(
  'read-bulk-action',
  `${SELECT} where id = :id and project_id = :projectId`,
);
const selectByKey = statement<
  { projectId: number; requestKey: string },
  BulkActionView & { requestHash: string }
>(
  'read-bulk-action-by-key',
  `select earlier.*, b.request_hash as "requestHash"
   from (${SELECT} where project_id = :projectId and request_key = :requestKey) as earlier
   join carillon.bulk_actions b on b.id = earlier.id`,
);
const selectLatest = statement<{ projectId: number; limit: number }, BulkActionView>(
  'list-bulk-actions',
  `${SELECT} where project_id = :projectId order by started_at desc, id limit :limit`,
);

/** Finds the bulk action that an earlier request with the same Idempotency-Key has started; null if there is none. */
export async function findBulkAction(
  db: Database,
  request: { projectId: number; requestKey: string },
): Promise<(BulkActionView & { requestHash: string }) | null> {
  const [row] = await selectByKey(db, request);
  return row ?? null;
}

/** Lists the latest bulk actions of a project, newest first. */
export const listBulkActions = (
  db: Database,
  page: { projectId: number; limit: number },
): Promise<BulkActionView[]> => selectLatest(db, page);

export async function readBulkAction(db: Database, ref: ActionRef): Promise<BulkActionView | null> {
  const [row] = await select(db, ref);
  return row ?? null;
}
