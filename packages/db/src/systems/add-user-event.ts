import { randomUUID } from 'node:crypto';
import {
  type Celebrated,
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
import { recordAudit } from '../lifecycle/change-schedule.js';
import { createSchedules, OverLimit } from '../lifecycle/create-schedules.js';

/** Who asks, and what applies where nothing is said. */
export interface SystemRequest {
  projectId: number;
  actor: string;
  limits: ProjectLimits;
  nowAt: number;
  defaults: ScheduleDefaults;
}

export interface EventOwner {
  id: number;
  person: Celebrated;
  /** Null for the project's own. */
  target: Target | null;
}

export type Added =
  | { kind: 'added'; dueAt: number }
  | { kind: 'not_found' }
  | { kind: 'conflict' }
  | { kind: 'invalid'; problems: Problem[] };

/** Gives a user a further yearly event, by the same door as the birthday. */
export async function addUserEvent(
  db: Database,
  request: SystemRequest,
  { userKey, event }: { userKey: string; event: YearlyEvent },
): Promise<Added> {
  return inTransaction(db, async (tx) => {
    const owner = await lockOwner(tx, request.projectId, userKey);
    if (!owner) return { kind: 'not_found' };
    const added = await insertEvent(tx, request, owner, event);
    if (added.kind === 'added') {
      const { projectId, actor } = request;
      const { name, date } = event;
      await recordAudit(tx, {
        projectId,
        key: userKey,
        actor,
        action: 'user.event_added',
        detail: { name, date },
      });
    }
    return added;
  });
}

/** The user's row is locked: nobody moves away or is deleted while an event is added. */
async function lockOwner(tx: Transaction, projectId: number, key: string): Promise<EventOwner | null> {
  const { rows } = await tx.query<{
    id: number;
    firstName: string;
    lastName: string;
    timezone: string;
    target: Target | null;
  }>(
    `select id, first_name as "firstName", last_name as "lastName", timezone, target
     from users where project_id = $1 and key = $2 for update`,
    [projectId, key],
  );
  const [row] = rows;
  if (!row) return null;
  const { id, target, ...names } = row;
  return { id, target, person: { userId: key, ...names } };
}

/** The event and its schedule, which stand or fall together with whatever else the transaction holds. Throws `OverLimit`. */
export async function insertEvent(
  tx: Transaction,
  { projectId, actor, limits, nowAt, defaults }: SystemRequest,
  { id, person, target }: EventOwner,
  event: YearlyEvent,
): Promise<Exclude<Added, { kind: 'not_found' }>> {
  const key = YEARLY_EVENT_PREFIX + randomUUID().replaceAll('-', '');
  const input = scheduleYearly(event, { person, key, target });
  const result = draftSchedule(input, { key, nowAt, defaults });
  if (!result.ok) return { kind: 'invalid', problems: result.problems };
  const { rowCount } = await tx.query(
    `insert into user_events (user_id, name, project_id, date, local_time, leap_day, message, schedule_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [id, event.name, projectId, event.date, event.localTime, event.leapDay, event.message, key],
  );
  if (rowCount === 0) return { kind: 'conflict' };
  const draft = { ...result.drafted, key, payload: JSON.stringify(input.payload), requestHash: key };
  const [created] = await createSchedules(tx, { projectId, actor, limits, drafts: [draft] });
  if (created?.kind === 'over_limit') throw new OverLimit(limits);
  return { kind: 'added', dueAt: draft.first.dueAt };
}
