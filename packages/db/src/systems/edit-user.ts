import { BIRTHDAY, type LeapDayPolicy, type Target } from '@carillon/shared';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { recordAudit } from '../lifecycle/change-schedule.js';
import { nowOr } from '../sql-text.js';
import type { DomainEventType } from './domain-events.js';
import { insertDomainEvents } from './domain-events.js';

/** What is left out stays. */
export interface UserEdit {
  firstName?: string | undefined;
  lastName?: string | undefined;
  dateOfBirth?: string | undefined;
  timezone?: string | undefined;
  target?: Target | null | undefined;
  localTime?: string | undefined;
  leapDay?: LeapDayPolicy | undefined;
}

interface Held {
  id: number;
  firstName: string;
  lastName: string;
  dateOfBirth: string;
  timezone: string;
  target: Target | null;
  localTime: string;
  leapDay: LeapDayPolicy;
}

/** Which event tells of which change. */
const TOLD_BY: Record<keyof UserEdit, DomainEventType> = {
  dateOfBirth: 'UserBirthdayChanged',
  timezone: 'UserTimezoneChanged',
  firstName: 'UserDetailsChanged',
  lastName: 'UserDetailsChanged',
  target: 'UserDetailsChanged',
  localTime: 'UserDetailsChanged',
  leapDay: 'UserDetailsChanged',
};

export interface EditedUser {
  /** The events that were written, to be handled after the commit. */
  events: DomainEventType[];
}

/**
 * Edits a user, and writes down what has changed, in one transaction. The schedules are not touched here: whoever handles
 * the events moves them, so that an edit never waits for an event that is being delivered. Null without such a user.
 */
export async function editUser(
  db: Database,
  {
    projectId,
    key,
    actor,
    now = null,
  }: { projectId: number; key: string; actor: string; now?: number | null },
  edit: UserEdit,
): Promise<EditedUser | null> {
  return inTransaction(db, async (tx) => {
    const held = await lockUser(tx, projectId, key);
    if (!held) return null;
    const changes = changesOf(held, edit);
    if (changes.length === 0) return { events: [] };
    await write(tx, { ...held, ...Object.fromEntries(changes.map(({ field, to }) => [field, to])) }, now);
    const types = [...new Set(changes.map(({ field }) => TOLD_BY[field]))];
    const events = types.map((type) => {
      const told = changes.filter(({ field }) => TOLD_BY[field] === type);
      const old = Object.fromEntries(told.map(({ field, from }) => [field, from]));
      return {
        type,
        detail: { userId: key, old, new: Object.fromEntries(told.map(({ field, to }) => [field, to])) },
      };
    });
    await insertDomainEvents(tx, { projectId, subject: key, events, now });
    const detail = { fields: changes.map(({ field }) => field), events: types };
    await recordAudit(tx, { projectId, key, actor, action: 'user.edited', detail });
    return { events: types };
  });
}

async function lockUser(tx: Transaction, projectId: number, key: string): Promise<Held | null> {
  const { rows } = await tx.query<Held>(
    `select u.id, u.first_name as "firstName", u.last_name as "lastName", u.date_of_birth::text as "dateOfBirth",
            u.timezone, u.target, e.local_time as "localTime", e.leap_day as "leapDay"
     from users u join user_events e on e.user_id = u.id and e.name = $3
     where u.project_id = $1 and u.key = $2 for update of u`,
    [projectId, key, BIRTHDAY],
  );
  return rows[0] ?? null;
}

interface FieldChange {
  field: keyof UserEdit;
  from: unknown;
  to: unknown;
}

function changesOf(held: Held, edit: UserEdit): FieldChange[] {
  return (Object.keys(TOLD_BY) as (keyof UserEdit)[]).flatMap((field) => {
    const to = edit[field];
    const from = held[field];
    return to === undefined || JSON.stringify(to) === JSON.stringify(from) ? [] : [{ field, from, to }];
  });
}

async function write(tx: Transaction, user: Held, now: number | null): Promise<void> {
  await tx.query(
    `update users
     set first_name = $2, last_name = $3, date_of_birth = $4, timezone = $5, target = $6, updated_at = ${nowOr('$7')}
     where id = $1`,
    [
      user.id,
      user.firstName,
      user.lastName,
      user.dateOfBirth,
      user.timezone,
      user.target && JSON.stringify(user.target),
      now,
    ],
  );
  await tx.query(
    `update user_events set date = $3, local_time = $4, leap_day = $5 where user_id = $1 and name = $2`,
    [user.id, BIRTHDAY, user.dateOfBirth, user.localTime, user.leapDay],
  );
}
