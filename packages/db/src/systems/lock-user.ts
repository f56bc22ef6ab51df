import type { Target } from '@carillon/shared';
import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../database.js';
import { users } from '../schema/systems.js';
import { orm } from '../tenancy/orm.js';

/** A user whose row is locked until the transaction ends: edits, deletion and new events wait for each other. */
export interface LockedUser {
  id: number;
  firstName: string;
  lastName: string;
  dateOfBirth: string;
  timezone: string;
  /** Null uses the project's default target. */
  target: Target | null;
}

export async function lockUser(tx: Transaction, projectId: number, key: string): Promise<LockedUser | null> {
  const [user] = await orm(tx)
    .select({
      id: users.id,
      firstName: users.firstName,
      lastName: users.lastName,
      dateOfBirth: users.dateOfBirth,
      timezone: users.timezone,
      target: users.target,
    })
    .from(users)
    .where(and(eq(users.projectId, projectId), eq(users.key, key)))
    .for('update');
  return (user as LockedUser | undefined) ?? null;
}
