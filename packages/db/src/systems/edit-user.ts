import { BIRTHDAY, type LeapDayPolicy, type Target } from '@carillon/shared';
import { and, eq } from 'drizzle-orm';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { NOW } from '../schema/columns.js';
import { userEvents, users } from '../schema/systems.js';
import { recordAudit } from '../tenancy/audit.js';
import { orm } from '../tenancy/orm.js';
import { type DomainEventType, insertDomainEvents } from './domain-events.js';
import { type LockedUser, lockUser } from './lock-user.js';

/** Fields that are left out keep their value. */
export interface UserEdit {
  firstName?: string | undefined;
  lastName?: string | undefined;
  dateOfBirth?: string | undefined;
  timezone?: string | undefined;
  target?: Target | null | undefined;
  localTime?: string | undefined;
  leapDay?: LeapDayPolicy | undefined;
}

/** The domain event that reports a change of a field. */
const EVENT_OF_FIELD: Record<keyof UserEdit, DomainEventType> = {
  dateOfBirth: 'UserBirthdayChanged',
  timezone: 'UserTimezoneChanged',
  firstName: 'UserDetailsChanged',
  lastName: 'UserDetailsChanged',
  target: 'UserDetailsChanged',
  localTime: 'UserDetailsChanged',
  leapDay: 'UserDetailsChanged',
};

export interface EditedUser {
  /** Types of the events that were written. They are handled after the commit. */
  events: DomainEventType[];
}

interface UserRequest {
  projectId: number;
  key: string;
  actor: string;
  now?: number | null;
}

/**
 * Edits a user and writes domain events about the changes, in one transaction. A worker handles the events later and
 * moves the user's schedules, so that an edit never waits for a claim that has locked one of them. Null if there is no
 * such user.
 */
export function editUser(
  db: Database,
  { projectId, key, actor, now = null }: UserRequest,
  edit: UserEdit,
): Promise<EditedUser | null> {
  return inTransaction(db, async (tx) => {
    const user = await lockWithBirthday(tx, projectId, key);
    if (!user) return null;
    const changes = changesOf(user, edit);
    if (changes.length === 0) return { events: [] };
    const changed = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
    await writeUser(tx, { ...user, ...changed }, now);
    const types = [...new Set(changes.map(({ field }) => EVENT_OF_FIELD[field]))];
    const events = types.map((type) => ({ type, detail: { userId: key, ...valuesOf(type, changes) } }));
    await insertDomainEvents(tx, { projectId, subject: key, events, now });
    const detail = { fields: changes.map(({ field }) => field), events: types };
    await recordAudit(tx, { projectId, key, actor, action: 'user.edited', detail });
    return { events: types };
  });
}

interface UserWithBirthday extends LockedUser {
  localTime: string;
  leapDay: LeapDayPolicy;
}

const isBirthdayOf = (userId: number) => and(eq(userEvents.userId, userId), eq(userEvents.name, BIRTHDAY));

async function lockWithBirthday(
  tx: Transaction,
  projectId: number,
  key: string,
): Promise<UserWithBirthday | null> {
  const user = await lockUser(tx, projectId, key);
  if (!user) return null;
  const [birthday] = await orm(tx)
    .select({ localTime: userEvents.localTime, leapDay: userEvents.leapDay })
    .from(userEvents)
    .where(isBirthdayOf(user.id));
  return birthday
    ? { ...user, localTime: birthday.localTime, leapDay: birthday.leapDay as LeapDayPolicy }
    : null;
}

interface FieldChange {
  field: keyof UserEdit;
  from: unknown;
  to: unknown;
}

function changesOf(user: UserWithBirthday, edit: UserEdit): FieldChange[] {
  return (Object.keys(EVENT_OF_FIELD) as (keyof UserEdit)[]).flatMap((field) => {
    const [from, to] = [user[field], edit[field]];
    return to === undefined || JSON.stringify(to) === JSON.stringify(from) ? [] : [{ field, from, to }];
  });
}

/** Old and new values of the fields that an event of this type reports. */
function valuesOf(type: DomainEventType, changes: readonly FieldChange[]): { old: object; new: object } {
  const reported = changes.filter(({ field }) => EVENT_OF_FIELD[field] === type);
  return {
    old: Object.fromEntries(reported.map(({ field, from }) => [field, from])),
    new: Object.fromEntries(reported.map(({ field, to }) => [field, to])),
  };
}

async function writeUser(tx: Transaction, user: UserWithBirthday, now: number | null): Promise<void> {
  const { id, firstName, lastName, dateOfBirth, timezone, target, localTime, leapDay } = user;
  await orm(tx)
    .update(users)
    .set({ firstName, lastName, dateOfBirth, timezone, target, updatedAt: now ?? NOW })
    .where(eq(users.id, id));
  await orm(tx).update(userEvents).set({ date: dateOfBirth, localTime, leapDay }).where(isBirthdayOf(id));
}
