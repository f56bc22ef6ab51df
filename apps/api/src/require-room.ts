import { type Database, type KeyOwner, roomOf } from '@carillon/db';
import { HttpProblem } from './problem.js';

export async function requireRoom(db: Database, caller: KeyOwner, wanted: number): Promise<void> {
  if ((await roomOf(db, caller)) < wanted) throw new HttpProblem(409, overLimit(caller));
}

export const overLimit = ({ projectKey, limits }: KeyOwner) =>
  `the project ${projectKey} has its ${limits.schedules} schedules; cancel some, or have its limit raised`;
