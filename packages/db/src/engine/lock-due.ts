import { type DueSchedule, type LostTime, readPlan, readTiming } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { asMilliseconds, NOW } from '../instants.js';
import { arrayOf, statement } from '../statement.js';
import { divide, type ProjectShare, SHARES, type ShareParameters } from './project-shares.js';

/** A due schedule whose agenda row is locked until the transaction ends. */
export interface DueRow extends DueSchedule {
  id: number;
  projectId: number;
  version: number;
  definitionVersion: number;
  isCounted: boolean;
  handler: string | null;
  /** JSON text, passed through as it is. */
  payload: string | null;
  lostTime: LostTime | null;
}

/** A due schedule whose definition can't be read. */
export interface UnreadableRow {
  id: number;
  unreadable: string;
}

export interface LockDueOptions {
  limit: number;
  /**
   * The projects that share the batch; other projects get nothing. If empty, the earliest rows of all projects are
   * locked.
   */
  fairTo: readonly ProjectShare[];
  /** Once the payloads exceed this many bytes, further rows wait for the next batch (default: no limit). */
  maxBytes?: number;
  /** The handlers that this worker has. */
  handlers: readonly string[];
  now: number | null;
}

/**
 * SQL: true if this worker can deliver the row, because its target is not a handler, or is a handler that the worker
 * has. The `coalesce` helps the planner: it assumes that half of the rows match, so it reads the index in order. With a
 * plain `or`, it would assume that few rows match, and would sort all due rows.
 */
export const isDeliverable = (row: string) => `coalesce(${row}.handler = any(:handlers::text[]), true)`;

/** SQL: true unless the installation is held. Postgres evaluates it once per statement. */
export const IS_RELEASED = '(select held_at is null from carillon.installation)';

/** SQL: true if the payloads of the rows before this one do not exceed `maxBytes`. The first row always fits. */
const FITS = `coalesce(sum(octet_length(s.payload)) over (rows between unbounded preceding and 1 preceding), 0)
    <= coalesce(:maxBytes::bigint, 9223372036854775807)`;

/**
 * The lock returns the newest agenda row, but the definition is read from the statement's snapshot. If an edit has
 * committed in between, the two versions differ, no definition is found, and the row is passed over. A row is passed
 * over too if the payloads of the rows before it exceed `maxBytes` already.
 *
 * The lookup names the project too. Without it, Postgres 18 may choose the index that begins with the project, and then
 * searches that index once for each project (skip scan).
 */
const COLUMNS = `
  due.schedule_id as id, due.project_id as "projectId", due.version,
  ${asMilliseconds('due.occurrence_at')} as "occurrenceAt", ${asMilliseconds('due.due_at')} as "dueAt",
  due.runs_total as "runsTotal", due.handler, case when ${FITS} then s.key end as key, s.definition_version as "definitionVersion",
  s.is_counted as "isCounted", s.timing, s.plan, case when ${FITS} then s.payload end as payload, ${asMilliseconds(NOW)} as "nowAt",
  (select lost_time from carillon.installation) as "lostTime"`;
const DEFINITION = `left join lateral (
    select key, definition_version, is_counted, timing, plan, payload::text from carillon.schedules
    where id = due.schedule_id and project_id = due.project_id and version = due.version
  ) as s on true`;

interface Row extends Omit<DueRow, 'timing' | 'plan'> {
  timing: string;
  plan: string;
  nowAt: number;
}

interface LockParameters {
  limit: number;
  handlers: string;
  maxBytes: number | null;
  now: number | null;
}

const lockEarliest = statement<LockParameters, Row>(
  'lock-due',
  `select ${COLUMNS}
   from (
     select a.* from carillon.agenda a
     where not a.is_held and a.due_at <= ${NOW} and ${isDeliverable('a')} and ${IS_RELEASED}
     order by a.due_at, a.schedule_id
     limit :limit
     for update skip locked
   ) as due
   ${DEFINITION}`,
);

/**
 * Locks a share for each project that has something due, so that a million rows of one project do not delay the others.
 */
const lockShares = statement<LockParameters & ShareParameters, Row>(
  'lock-due-by-shares',
  `select ${COLUMNS}
   from ${SHARES}, lateral (
     select a.* from carillon.agenda a
     where not a.is_held and a.project_id = share.project_id and a.due_at <= ${NOW}
       and ${isDeliverable('a')} and ${IS_RELEASED}
     order by a.due_at, a.schedule_id
     limit share.most
     for update skip locked
   ) as due
   ${DEFINITION}
   limit :limit`,
);

/**
 * Locks due agenda rows that no other claim has locked, and reads their definitions. `locked` also counts rows that
 * were passed over.
 */
export async function lockDue(
  tx: Transaction,
  { limit, fairTo, handlers, maxBytes, now }: LockDueOptions,
): Promise<{ rows: (DueRow | UnreadableRow)[]; locked: number; nowAt: number }> {
  const options = { limit, now, maxBytes: maxBytes ?? null, handlers: arrayOf(handlers) };
  const rows =
    fairTo.length > 0
      ? await lockShares(tx, { ...options, ...divide(limit, fairTo) })
      : await lockEarliest(tx, options);
  const isDefined = ({ key }: { key: string | null }) => key !== null;
  return { rows: rows.filter(isDefined).map(toDueRow), locked: rows.length, nowAt: rows[0]?.nowAt ?? 0 };
}

function toDueRow(row: Row): DueRow | UnreadableRow {
  try {
    return Object.assign(row, { timing: readTiming(row.timing), plan: readPlan(row.plan) });
  } catch (error) {
    // One unreadable definition must not fail the batch.
    return { id: row.id, unreadable: (error as Error).message };
  }
}

const lockSchedules = statement<{ ids: string }, { id: number }>(
  'lock-schedules-of-claim',
  `select id from carillon.schedules where id = any(:ids::bigint[]) order by id for no key update skip locked`,
);

/**
 * Locks the schedules of agenda rows that this claim has locked. Skips schedules that another transaction has locked. A
 * change locks the schedule first and its agenda row second, so a claim that waited here could deadlock with it.
 */
export async function lockSchedulesOfClaim(tx: Transaction, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  return new Set((await lockSchedules(tx, { ids: arrayOf(ids) })).map(({ id }) => id));
}
