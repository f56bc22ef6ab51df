import { createSchedules, type Database, type Draft } from '@carillon/db';
import { type Calendars, draftSchedule, type ScheduleInput } from '@carillon/shared';
import type { TestDatabase } from './database.js';

const DEFAULTS = {
  target: { type: 'handler', name: 'noop' } as const,
  maxAttempts: 3,
  baseDelayMs: 1_000,
  allowPrivateTargets: true,
};
let number = 0;

/** Turns a request into the form in which the API would store the schedule. */
export function draft(input: ScheduleInput, nowAt: number, calendars?: Calendars): Draft {
  const key = input.id ?? `test-${++number}`;
  const result = draftSchedule(input, {
    key,
    nowAt,
    defaults: DEFAULTS,
    ...(calendars ? { calendars } : {}),
  });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const payload = input.payload === undefined ? null : JSON.stringify(input.payload);
  return { ...result.drafted, key, payload, requestHash: JSON.stringify(input) };
}

/** Inserts schedules as the API would, but adds no wake-up for them (no bell) to Redis. Returns their internal ids. */
export async function insertSchedules(
  database: Pick<TestDatabase, 'projectId'> & { pool: Database },
  inputs: readonly ScheduleInput[],
  {
    nowAt = Date.now(),
    projectId = database.projectId,
    calendars,
  }: { nowAt?: number; projectId?: number; calendars?: Calendars } = {},
): Promise<number[]> {
  const drafts = inputs.map((input) => draft(input, nowAt, calendars));
  const created = await createSchedules(database.pool, { projectId, drafts, actor: 'test' });
  return created.map((result) => {
    if (result.kind !== 'created') throw new Error(`not created: ${result.kind}`);
    return result.id;
  });
}
