import { type DueSchedule, readPlan, readTiming } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { nowOr, numberArray, toMs } from '../sql-text.js';

/** A due schedule whose row is locked until the transaction ends. */
export interface DueRow extends DueSchedule {
  id: number;
  projectId: number;
  version: number;
  definitionVersion: number;
  counted: boolean;
  /** Its run has to be written down when it starts: others must find it before its end, or it may exist already. */
  isWrittenAtOnce: boolean;
  /** Somebody has changed it since it was made. */
  isTouched: boolean;
  /** JSON text, passed through as it is. */
  payload: string | null;
}

/** A due schedule whose definition can't even be read. */
export interface UnreadableRow {
  id: number;
  unreadable: string;
}

/** What is as usual is null: nothing has to be printed, sent and parsed for it. */
const COLUMNS = `due.id, due.project_id, due.key, ${toMs('due.occurrence_at')}, v.timing, v.plan, v.payload::text,
  (select ${toMs(nowOr('$2'))}), ${toMs('nullif(due.next_run_at, due.occurrence_at)')}, nullif(due.version, 1),
  nullif(due.definition_version, due.version), nullif(due.runs_total, 0), nullif(due.counted, false),
  nullif(due.counted or coalesce(due.occurrence_at <= due.accounted_until, false), false),
  nullif(due.updated_at <> due.created_at, false)`;

/** With its `limit` this can only be looked up for one schedule at a time, whatever a plan thinks of the tables. */
const DEFINITION = `cross join lateral (
    select timing, plan, payload from schedule_versions where schedule_id = due.id and version = due.definition_version limit 1
  ) as v`;

/**
 * Whoever has locked the row had ended when this statement began: by its header the row bears no mark of a lock, or that of
 * a transaction which is neither on the list of those under way nor younger than the list (docs/decisions/marks-of-locks.md).
 */
const IS_FREE = `(s.xmax = 0 or (
  s.xmax not in (select locker::xid from pg_snapshot_xip(pg_current_snapshot()) as locker)
  and age(s.xmax) not between -100000 and (select age(pg_snapshot_xmax(pg_current_snapshot())::xid))))`;

/** Whoever is due first, first. */
const READ_FIRST_DUE = `
  select ${COLUMNS}
  from (
    select s.*
    from schedules s
    where s.status = 'active' and s.next_run_at <= ${nowOr('$2')} and ${IS_FREE}
    order by s.next_run_at, s.id
    limit $1
    for update of s skip locked
  ) as due
  ${DEFINITION}`;

/** An equal share for each of the projects that have something due, so that a million of one do not hold up the rest. */
const READ_FAIR_SHARES = `
  select ${COLUMNS}
  from unnest($3::bigint[]) as waiting(project_id), lateral (
    select s.*
    from schedules s
    where s.status = 'active' and s.project_id = waiting.project_id and s.next_run_at <= ${nowOr('$2')} and ${IS_FREE}
    order by s.next_run_at, s.id
    limit greatest(1, $1 / cardinality($3::bigint[]))
    for update of s skip locked
  ) as due
  ${DEFINITION}
  limit $1`;

type Columns = [
  id: number,
  projectId: number,
  key: string,
  occurrenceAt: number,
  timing: string,
  plan: string,
  payload: string | null,
  nowAt: number,
  dueAt: number | null,
  version: number | null,
  definitionVersion: number | null,
  runsTotal: number | null,
  counted: true | null,
  isWrittenAtOnce: true | null,
  isTouched: true | null,
];

export interface ReadDueOptions {
  limit: number;
  /** The projects among which the batch is shared out, where there is a backlog of several; else whoever is due first. */
  fairTo: readonly number[];
  now: number | null;
}

/** Reads and locks the due schedules that nobody else has locked. */
export async function readDue(
  tx: Transaction,
  { limit, fairTo, now }: ReadDueOptions,
): Promise<{ rows: (DueRow | UnreadableRow)[]; nowAt: number }> {
  const result = await tx.query<Columns>({
    ...(fairTo.length > 1
      ? { name: 'read-due-fairly', text: READ_FAIR_SHARES, values: [limit, now, numberArray(fairTo)] }
      : { name: 'read-due', text: READ_FIRST_DUE, values: [limit, now] }),
    rowMode: 'array',
  });
  return { rows: result.rows.map(toDueRow), nowAt: result.rows[0]?.[7] ?? 0 };
}

function toDueRow(columns: Columns): DueRow | UnreadableRow {
  try {
    const version = columns[9] ?? 1;
    return {
      id: columns[0],
      projectId: columns[1],
      key: columns[2],
      version,
      definitionVersion: columns[10] ?? version,
      counted: columns[12] ?? false,
      occurrenceAt: columns[3],
      dueAt: columns[8] ?? columns[3],
      runsTotal: columns[11] ?? 0,
      timing: readTiming(columns[4]),
      plan: readPlan(columns[5]),
      payload: columns[6],
      isWrittenAtOnce: columns[13] ?? false,
      isTouched: columns[14] ?? false,
    };
  } catch (error) {
    // One row must not sink its batch.
    return { id: columns[0], unreadable: (error as Error).message };
  }
}
