import { randomUUID } from 'node:crypto';
import { BIRTHDAY, type LeapDayPolicy, type Problem, type Target } from '@carillon/shared';
import { type Database, inTransaction } from '../database.js';
import { users } from '../schema/systems.js';
import { recordAudit } from '../tenancy/audit.js';
import { orm } from '../tenancy/orm.js';
import { insertEvent, type SystemRequest } from './add-user-event.js';

export interface NewUser {
  firstName: string;
  lastName: string;
  dateOfBirth: string;
  timezone: string;
  /** Null uses the project's default target. */
  target: Target | null;
  /** The time of the greeting, on the clock of the user's time zone. */
  localTime: string;
  leapDay: LeapDayPolicy;
}

export type CreatedUser =
  | { kind: 'created'; key: string; dueAt: number }
  | { kind: 'invalid'; problems: Problem[] };

/** Thrown inside the transaction to roll it back, so that the user is not created. */
class InvalidInput extends Error {
  constructor(readonly problems: Problem[]) {
    super('invalid');
  }
}

/** Creates a user and the schedule of the birthday in one transaction. */
export async function createUser(db: Database, request: SystemRequest, user: NewUser): Promise<CreatedUser> {
  const { projectId, actor } = request;
  const key = `usr_${randomUUID().replaceAll('-', '')}`;
  const { firstName, lastName, dateOfBirth, timezone, target, localTime, leapDay } = user;
  try {
    return await inTransaction(db, async (tx) => {
      const [row] = await orm(tx)
        .insert(users)
        .values({ projectId, key, firstName, lastName, dateOfBirth, timezone, target })
        .returning({ id: users.id });
      const { id } = row as { id: number };
      const owner = { id, target, person: { userId: key, firstName, lastName, timezone } };
      const birthday = { name: BIRTHDAY, date: dateOfBirth, localTime, leapDay, message: null };
      const added = await insertEvent(tx, request, owner, birthday);
      if (added.kind === 'invalid') throw new InvalidInput(added.problems);
      if (added.kind === 'conflict') throw new Error(`the new user ${key} has a birthday already`);
      await recordAudit(tx, { projectId, key, actor, action: 'user.created' });
      return { kind: 'created', key, dueAt: added.dueAt };
    });
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'invalid', problems: error.problems };
    throw error;
  }
}
