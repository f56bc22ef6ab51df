import { randomUUID } from 'node:crypto';
import { BIRTHDAY, type LeapDayPolicy, type Problem, type Target } from '@carillon/shared';
import { type Database, inTransaction } from '../database.js';
import { recordAudit } from '../lifecycle/change-schedule.js';
import { insertEvent, type SystemRequest } from './add-user-event.js';

export interface NewUser {
  firstName: string;
  lastName: string;
  dateOfBirth: string;
  timezone: string;
  target: Target | null;
  /** When to greet, on the clock of their zone. */
  localTime: string;
  leapDay: LeapDayPolicy;
}

export type CreatedUser =
  | { kind: 'created'; key: string; dueAt: number }
  | { kind: 'invalid'; problems: Problem[] };

class Invalid extends Error {
  constructor(readonly problems: Problem[]) {
    super('invalid');
  }
}

/** Creates a user and the schedule of the birthday: both, or neither. */
export async function createUser(db: Database, request: SystemRequest, user: NewUser): Promise<CreatedUser> {
  const { projectId, actor } = request;
  const key = `usr_${randomUUID().replaceAll('-', '')}`;
  const { firstName, lastName, timezone, target } = user;
  try {
    return await inTransaction(db, async (tx) => {
      const { rows } = await tx.query<{ id: number }>(
        `insert into users (project_id, key, first_name, last_name, date_of_birth, timezone, target)
         values ($1, $2, $3, $4, $5, $6, $7) returning id`,
        [projectId, key, firstName, lastName, user.dateOfBirth, timezone, target && JSON.stringify(target)],
      );
      const { id } = rows[0] as { id: number };
      const person = { userId: key, firstName, lastName, timezone };
      const added = await insertEvent(
        tx,
        request,
        { id, person, target },
        {
          name: BIRTHDAY,
          date: user.dateOfBirth,
          localTime: user.localTime,
          leapDay: user.leapDay,
          message: null,
        },
      );
      // Rolls the user back as well.
      if (added.kind === 'invalid') throw new Invalid(added.problems);
      if (added.kind === 'conflict') throw new Error('a user that is new has a birthday already');
      await recordAudit(tx, { projectId, key, actor, action: 'user.created' });
      return { kind: 'created', key, dueAt: added.dueAt };
    });
  } catch (error) {
    if (error instanceof Invalid) return { kind: 'invalid', problems: error.problems };
    throw error;
  }
}
