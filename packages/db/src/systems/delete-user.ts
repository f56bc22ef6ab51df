import { type Database, inTransaction, type Transaction } from '../database.js';
import { cancelSchedule } from '../lifecycle/cancel-schedule.js';
import { recordAudit } from '../lifecycle/change-schedule.js';

export interface DeletedUser {
  /** The schedules that were cancelled by this. */
  cancelled: string[];
  /** Runs that were already in flight: they go on to their end. */
  inFlight: string[];
}

interface Request {
  projectId: number;
  key: string;
  actor: string;
}

/** Deletes a user and cancels all that was to be celebrated. Null without such a user. */
export async function deleteUser(db: Database, request: Request): Promise<DeletedUser | null> {
  const { projectId, key } = request;
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ id: number }>(
      `delete from users where project_id = $1 and key = $2 returning id`,
      [projectId, key],
    );
    const [user] = rows;
    if (!user) return null;
    const deleted = await cancelEvents(tx, request, user.id, null);
    await recordAudit(tx, { ...request, action: 'user.deleted', detail: deleted });
    return deleted;
  });
}

/** Ends one yearly event of a user. Null without such an event. */
export async function removeUserEvent(
  db: Database,
  request: Request,
  name: string,
): Promise<DeletedUser | null> {
  const { projectId, key } = request;
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ id: number }>(
      `select id from users where project_id = $1 and key = $2 for update`,
      [projectId, key],
    );
    const [user] = rows;
    if (!user) return null;
    const removed = await cancelEvents(tx, request, user.id, name);
    if (removed.cancelled.length === 0) return null;
    await recordAudit(tx, { ...request, action: 'user.event_removed', detail: { name, ...removed } });
    return removed;
  });
}

async function cancelEvents(
  tx: Transaction,
  { projectId, actor }: Request,
  userId: number,
  name: string | null,
): Promise<DeletedUser> {
  const { rows } = await tx.query<{ scheduleKey: string }>(
    `delete from user_events where user_id = $1 and ($2::text is null or name = $2)
     returning schedule_key as "scheduleKey"`,
    [userId, name],
  );
  const deleted: DeletedUser = { cancelled: [], inFlight: [] };
  for (const { scheduleKey } of rows) {
    const result = await cancelSchedule(tx, { ref: { projectId, key: scheduleKey }, actor });
    if (result.kind !== 'changed') continue;
    deleted.cancelled.push(scheduleKey);
    deleted.inFlight.push(...result.value.inFlight);
  }
  return deleted;
}
