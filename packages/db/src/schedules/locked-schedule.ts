import { type Plan, readPlan, readTiming, type Timing } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { NOW } from '../instants.js';
import { arrayOf, statement, type Values } from '../statement.js';
import {
  LAST_CLAIMED_AT,
  LAST_RUN_AT,
  RUNS_TOTAL,
  SCHEDULE_STATUS,
  type ScheduleStatus,
} from './schedule-columns.js';

/** A schedule that is locked until the transaction ends: nothing fires, edits or cancels it meanwhile. */
export interface LockedSchedule {
  id: number;
  projectId: number;
  key: string;
  tags: string[];
  status: ScheduleStatus;
  version: number;
  definitionVersion: number;
  isCounted: boolean;
  /** The next occurrence and when it is due; both null if there is none. */
  occurrenceAt: number | null;
  dueAt: number | null;
  runsTotal: number;
  lastRunAt: number | null;
  lastClaimedAt: number | null;
  pausedAt: number | null;
  pausedUntil: number | null;
  pausedBy: string | null;
  pauseNote: string | null;
  timing: Timing;
  plan: Plan;
  /** When the schedule was last changed. For a cancelled schedule, this is when it was cancelled. */
  updatedAt: number;
  /** When the lock was taken, by Postgres's clock. */
  nowAt: number;
}

export type ScheduleRef = { projectId: number; key: string } | { id: number };

interface Row extends Omit<LockedSchedule, 'timing' | 'plan'> {
  timing: string;
  plan: string;
}

const lockByKey = statement<{ projectId: number; key: string }, { id: number }>(
  'lock-schedule',
  'select id from carillon.schedules where project_id = :projectId and key = :key for update',
);
const lockById = statement<{ id: number }, { id: number }>(
  'lock-schedule-by-id',
  'select id from carillon.schedules where id = :id for update',
);
const lockAgenda = statement<{ id: number }>(
  'lock-agenda',
  'select from carillon.agenda where schedule_id = :id for update',
);
const SELECT_LOCKED = `select s.id, s.project_id as "projectId", s.key, s.tags, ${SCHEDULE_STATUS} as status, s.version, s.definition_version as "definitionVersion",
          s.is_counted as "isCounted", a.occurrence_at as "occurrenceAt", a.due_at as "dueAt", ${RUNS_TOTAL} as "runsTotal",
          ${LAST_RUN_AT} as "lastRunAt", ${LAST_CLAIMED_AT} as "lastClaimedAt", s.paused_at as "pausedAt",
          s.paused_until as "pausedUntil", s.paused_by as "pausedBy", s.pause_note as "pauseNote", s.timing, s.plan, s.updated_at as "updatedAt",
          ${NOW} as "nowAt"
   from carillon.schedules s left join carillon.agenda a on a.schedule_id = s.id`;
const readLocked = statement<Values, Row>('read-locked-schedule', `${SELECT_LOCKED} where s.id = :id`);
const readManyLocked = statement<{ ids: string; now: number | null }, Row>(
  'read-locked-schedules',
  `${SELECT_LOCKED} where s.id = any(:ids::bigint[]) order by s.id`,
);

export const lockManySchedules = statement<{ projectId: number; ids: string }, { id: number }>(
  'lock-many-schedules',
  `select id from carillon.schedules where project_id = :projectId and id = any(:ids::bigint[]) order by id for update`,
);
export const lockManyAgendas = statement<{ ids: string }>(
  'lock-many-agendas',
  `select from carillon.agenda where schedule_id = any(:ids::bigint[]) order by schedule_id for update`,
);

/** Locks and reads many schedules of a project, in ascending order. All of them get the same `nowAt`. */
export async function lockSchedules(
  tx: Transaction,
  { projectId, ids }: { projectId: number; ids: readonly number[] },
): Promise<{ schedules: LockedSchedule[]; nowAt: number }> {
  const locked = await lockManySchedules(tx, { projectId, ids: arrayOf(ids) });
  const lockedIds = arrayOf(locked.map(({ id }) => id));
  await lockManyAgendas(tx, { ids: lockedIds });
  const rows = await readManyLocked(tx, { ids: lockedIds, now: null });
  const nowAt = rows.at(-1)?.nowAt ?? 0;
  const schedules = rows.map((row) => ({ ...toLocked(row), nowAt }));
  return { schedules, nowAt };
}

const lockFree = statement<{ projectId: number; keys: string }, { id: number }>(
  'lock-free-schedules',
  `select id from carillon.schedules where project_id = :projectId and key = any(:keys::text[]) order by id for update skip locked`,
);
const lockFreeById = statement<{ ids: string }, { id: number }>(
  'lock-free-schedules-by-id',
  'select id from carillon.schedules where id = any(:ids::bigint[]) order by id for update skip locked',
);
const lockFreeAgendas = statement<{ ids: string }, { id: number }>(
  'lock-free-agendas',
  `select schedule_id as id from carillon.agenda where schedule_id = any(:ids::bigint[]) order by schedule_id for update skip locked`,
);

/**
 * Locks and reads the schedules that no other transaction has locked, and never waits. All of them get the same
 * `nowAt`. A schedule whose agenda row is locked, or whose definition can't be read, is left out too, although its own
 * row stays locked until the transaction ends.
 */
export async function lockFreeSchedules(
  tx: Transaction,
  wanted: { projectId: number; keys: readonly string[] } | { ids: readonly number[] },
  now: number | null,
): Promise<LockedSchedule[]> {
  const locked =
    'ids' in wanted
      ? await lockFreeById(tx, { ids: arrayOf(wanted.ids) })
      : await lockFree(tx, { projectId: wanted.projectId, keys: arrayOf(wanted.keys) });
  if (locked.length === 0) return [];
  const ids = arrayOf(locked.map(({ id }) => id));
  const agendas = new Set((await lockFreeAgendas(tx, { ids })).map(({ id }) => id));
  const rows = await readManyLocked(tx, { ids, now });
  const nowAt = rows.at(-1)?.nowAt ?? 0;
  return rows
    .filter(({ id, occurrenceAt }) => occurrenceAt === null || agendas.has(id))
    .flatMap((row) => {
      const schedule = toLockedIfReadable(row);
      return schedule ? [{ ...schedule, nowAt }] : [];
    });
}

/**
 * Thrown if the stored definition of a schedule can't be read. The next claim of the schedule pauses it, with a note
 * that says so.
 */
export class UnreadableSchedule extends Error {}

function toLocked(row: Row): LockedSchedule {
  try {
    return { ...row, timing: readTiming(row.timing), plan: readPlan(row.plan) };
  } catch (cause) {
    throw new UnreadableSchedule(`its definition could not be read: ${(cause as Error).message}`, { cause });
  }
}

function toLockedIfReadable(row: Row): LockedSchedule | null {
  try {
    return toLocked(row);
  } catch (error) {
    if (error instanceof UnreadableSchedule) return null;
    throw error;
  }
}

/**
 * Locks a schedule and then its agenda row, always in this order, and reads both. The read comes after the locks, so
 * that definition, agenda and time are current.
 */
export async function lockSchedule(
  tx: Transaction,
  ref: ScheduleRef,
  now: number | null,
): Promise<LockedSchedule | null> {
  const [locked] = 'id' in ref ? await lockById(tx, ref) : await lockByKey(tx, ref);
  if (!locked) return null;
  const { id } = locked;
  await lockAgenda(tx, { id });
  const [row] = (await readLocked(tx, { id, now })) as [Row];
  return toLocked(row);
}
