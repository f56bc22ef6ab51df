import { and, eq } from 'drizzle-orm';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { cancelSchedule } from '../schedules/cancel-schedule.js';
import { userEvents, users } from '../schema/systems.js';
import { recordAudit } from '../tenancy/audit.js';
import { orm } from '../tenancy/orm.js';
import { lockUser } from './lock-user.js';

export interface DeletedUser {
  /** Keys of the schedules that were cancelled. */
  cancelled: string[];
  /** Runs that were already in flight. They are delivered to the end. */
  inFlight: string[];
}

interface UserRequest {
  projectId: number;
  /** The key of the user. */
  key: string;
  actor: string;
}

/** Deletes a user and cancels the schedules of all their events. Null if there is no such user. */
export function deleteUser(db: Database, request: UserRequest): Promise<DeletedUser | null> {
  const { projectId, key } = request;
  return inTransaction(db, async (tx) => {
    const [user] = await orm(tx)
      .delete(users)
      .where(and(eq(users.projectId, projectId), eq(users.key, key)))
      .returning({ id: users.id });
    if (!user) return null;
    const deleted = await cancelEvents(tx, request, { userId: user.id });
    await recordAudit(tx, { ...request, action: 'user.deleted', detail: deleted });
    return deleted;
  });
}

/** Removes one yearly event of a user and cancels its schedule. Null if there is no such event. */
export function removeUserEvent(
  db: Database,
  request: UserRequest,
  name: string,
): Promise<DeletedUser | null> {
  return inTransaction(db, async (tx) => {
    const user = await lockUser(tx, request.projectId, request.key);
    if (!user) return null;
    const removed = await cancelEvents(tx, request, { userId: user.id, name });
    if (removed.cancelled.length === 0) return null;
    await recordAudit(tx, { ...request, action: 'user.event_removed', detail: { name, ...removed } });
    return removed;
  });
}

async function cancelEvents(
  tx: Transaction,
  { projectId, actor }: UserRequest,
  { userId, name }: { userId: number; name?: string },
): Promise<DeletedUser> {
  const hasName = name === undefined ? undefined : eq(userEvents.name, name);
  const events = await orm(tx)
    .delete(userEvents)
    .where(and(eq(userEvents.userId, userId), hasName))
    .returning({ scheduleKey: userEvents.scheduleKey });
  const deleted: DeletedUser = { cancelled: [], inFlight: [] };
  for (const { scheduleKey } of events) {
    const result = await cancelSchedule(tx, { ref: { projectId, key: scheduleKey }, actor });
    if (result.kind !== 'changed') continue;
    deleted.cancelled.push(scheduleKey);
    deleted.inFlight.push(...result.value.inFlight);
  }
  return deleted;
}
