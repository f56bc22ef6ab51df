import { randomUUID } from 'node:crypto';
import {
  type CelebratedPerson,
  draftSchedule,
  type Problem,
  type ProjectLimits,
  type ScheduleDefaults,
  scheduleYearly,
  type Target,
  YEARLY_EVENT_PREFIX,
  type YearlyEvent,
} from '@carillon/shared';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { createSchedules, OverLimit } from '../schedules/create-schedules.js';
import { userEvents } from '../schema/systems.js';
import { recordAudit } from '../tenancy/audit.js';
import { orm } from '../tenancy/orm.js';
import { lockUser } from './lock-user.js';

/** The actor, with the limits and defaults of their project. */
export interface SystemRequest {
  projectId: number;
  actor: string;
  limits: ProjectLimits;
  nowAt: number;
  defaults: ScheduleDefaults;
}

export interface EventOwner {
  id: number;
  person: CelebratedPerson;
  /** Null uses the project's default target. */
  target: Target | null;
}

export type AddEventResult =
  | { kind: 'added'; dueAt: number }
  | { kind: 'not_found' }
  | { kind: 'conflict' }
  | { kind: 'invalid'; problems: Problem[] };

export function addUserEvent(
  db: Database,
  request: SystemRequest,
  { userKey, event }: { userKey: string; event: YearlyEvent },
): Promise<AddEventResult> {
  const { projectId, actor } = request;
  return inTransaction(db, async (tx) => {
    const user = await lockUser(tx, projectId, userKey);
    if (!user) return { kind: 'not_found' };
    const { id, firstName, lastName, timezone, target } = user;
    const owner = { id, target, person: { userId: userKey, firstName, lastName, timezone } };
    const added = await insertEvent(tx, request, owner, event);
    if (added.kind === 'added') {
      const detail = { name: event.name, date: event.date };
      await recordAudit(tx, { projectId, key: userKey, actor, action: 'user.event_added', detail });
    }
    return added;
  });
}

/**
 * Inserts a yearly event of a user, and the schedule that fires it, in the caller's transaction. Throws `OverLimit` if
 * the project can't have another schedule.
 */
export async function insertEvent(
  tx: Transaction,
  { projectId, actor, limits, nowAt, defaults }: SystemRequest,
  { id: userId, person, target }: EventOwner,
  event: YearlyEvent,
): Promise<Exclude<AddEventResult, { kind: 'not_found' }>> {
  const key = YEARLY_EVENT_PREFIX + randomUUID().replaceAll('-', '');
  const input = scheduleYearly(event, { person, key, target });
  const result = draftSchedule(input, { key, nowAt, defaults });
  if (!result.ok) return { kind: 'invalid', problems: result.problems };
  const { name, date, localTime, leapDay, message } = event;
  const inserted = await orm(tx)
    .insert(userEvents)
    .values({ userId, name, projectId, date, localTime, leapDay, message, scheduleKey: key })
    .onConflictDoNothing()
    .returning({ name: userEvents.name });
  if (inserted.length === 0) return { kind: 'conflict' };
  const draft = { ...result.drafted, key, payload: JSON.stringify(input.payload), requestHash: key };
  const [created] = await createSchedules(tx, { projectId, actor, limits, drafts: [draft] });
  if (created?.kind === 'over_limit') throw new OverLimit(limits);
  return { kind: 'added', dueAt: draft.first.dueAt };
}
