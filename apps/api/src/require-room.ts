import { countLiveSchedules, type Database, type KeyOwner } from '@carillon/db';
import { HttpProblem } from './problem.js';

/** How many more schedules a project may have. Requests at the very same moment may each find the last place free. */
export async function roomOf(db: Database, { projectId, limits }: KeyOwner): Promise<number> {
  const most = limits.schedules ?? null;
  if (most === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, most - (await countLiveSchedules(db, projectId, most)));
}

export async function requireRoom(db: Database, caller: KeyOwner, wanted: number): Promise<void> {
  if ((await roomOf(db, caller)) < wanted) throw new HttpProblem(409, overLimit(caller));
}

export const overLimit = ({ projectKey, limits }: KeyOwner) =>
  `the project ${projectKey} has its ${limits.schedules} schedules; cancel some, or have its limit raised`;
