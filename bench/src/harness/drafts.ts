import { createSchedules, type Draft } from '@carillon/db';
import { draftSchedule, type ScheduleInput } from '@carillon/shared';
import type { Pool } from 'pg';

/** The id of the default project. */
export const PROJECT_ID = 1;

const DEFAULTS = {
  target: { type: 'handler', name: 'bench' } as const,
  maxAttempts: 3,
  baseDelayMs: 1_000,
  allowPrivateTargets: true,
};

/** Turns a request into the form in which the API stores a schedule. */
export function draft(input: ScheduleInput & { id: string }, nowAt: number): Draft {
  const result = draftSchedule(input, { key: input.id, nowAt, defaults: DEFAULTS });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const payload = input.payload === undefined ? null : JSON.stringify(input.payload);
  return { ...result.drafted, key: input.id, payload, requestHash: input.id };
}

const SCHEDULES_PER_REQUEST = 5_000;

/** Stores schedules, some thousands at a time. Preparing all of them at once would block this process for seconds. */
export async function insertSchedules<T>(
  pool: Pool,
  items: readonly T[],
  toDraft: (item: T) => Draft,
): Promise<void> {
  for (let from = 0; from < items.length; from += SCHEDULES_PER_REQUEST) {
    const drafts = items.slice(from, from + SCHEDULES_PER_REQUEST).map(toDraft);
    const created = await createSchedules(pool, { projectId: PROJECT_ID, drafts, actor: 'bench' });
    if (created.some(({ kind }) => kind !== 'created')) throw new Error('a schedule was not created');
  }
}
