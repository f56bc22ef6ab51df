import { type DueSchedule, readPlan, readTiming } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { nowOr, toMs } from '../sql-text.js';

/** A due schedule whose row is locked until the transaction ends. */
export interface DueRow extends DueSchedule {
  id: number;
  projectId: number;
  version: number;
  definitionVersion: number;
  counted: boolean;
  /** JSON text, passed through as it is. */
  payload: string | null;
}

const COLUMNS = `due.id, due.project_id, due.key, due.version, due.definition_version, due.counted,
  ${toMs('due.occurrence_at')}, ${toMs('due.next_run_at')}, due.runs_total, v.timing, v.plan, v.payload::text, ${toMs('due.now')}`;

/** Whoever is due first, first. */
const READ_FIRST_DUE = `
  select ${COLUMNS}
  from (
    select s.*, clock.now
    from (select ${nowOr('$2')} as now) as clock, schedules s
    where s.status = 'active' and s.next_run_at <= ${nowOr('$2')}
    order by s.next_run_at, s.id
    limit $1
    for update of s skip locked
  ) as due
  join schedule_versions v on v.schedule_id = due.id and v.version = due.definition_version`;

/**
 * An equal share for every project that has something due. The recursion walks the distinct projects of the index;
 * it costs a probe per project, and is therefore only for when there is more due than a batch holds.
 */
const READ_FAIR_SHARES = `
  with recursive project as (
    (select project_id from schedules where status = 'active' and next_run_at is not null order by project_id limit 1)
    union all
    select (select s.project_id from schedules s where s.status = 'active' and s.project_id > project.project_id
            order by s.project_id limit 1)
    from project where project.project_id is not null
  ), waiting as (
    select project_id from project
    where exists (select from schedules s where s.status = 'active' and s.project_id = project.project_id
                  and s.next_run_at <= ${nowOr('$2')})
  ), share as (select greatest(1, $1 / greatest(1, count(*)))::int as size from waiting)
  select ${COLUMNS}
  from waiting, lateral (
    select s.*, clock.now
    from (select ${nowOr('$2')} as now) as clock, schedules s
    where s.status = 'active' and s.project_id = waiting.project_id and s.next_run_at <= ${nowOr('$2')}
    order by s.next_run_at, s.id
    limit (select size from share)
    for update of s skip locked
  ) as due
  join schedule_versions v on v.schedule_id = due.id and v.version = due.definition_version
  limit $1`;

type Columns = [
  number,
  number,
  string,
  number,
  number,
  boolean,
  number,
  number,
  number,
  string,
  string,
  string | null,
  number,
];

export interface ReadDueOptions {
  limit: number;
  /** Whether there is a backlog, so that one project's million must not hold up the others. */
  fair: boolean;
  now: number | null;
}

/** Reads and locks the due schedules that nobody else has locked. */
export async function readDue(
  tx: Transaction,
  { limit, fair, now }: ReadDueOptions,
): Promise<{ rows: DueRow[]; nowAt: number }> {
  const result = await tx.query<Columns>({
    name: fair ? 'read-due-fair' : 'read-due',
    text: fair ? READ_FAIR_SHARES : READ_FIRST_DUE,
    values: [limit, now],
    rowMode: 'array',
  });
  return { rows: result.rows.map(toDueRow), nowAt: result.rows[0]?.[12] ?? 0 };
}

function toDueRow(columns: Columns): DueRow {
  const [
    id,
    projectId,
    key,
    version,
    definitionVersion,
    counted,
    occurrenceAt,
    dueAt,
    runsTotal,
    timing,
    plan,
    payload,
  ] = columns;
  return {
    id,
    projectId,
    key,
    version,
    definitionVersion,
    counted,
    occurrenceAt,
    dueAt,
    runsTotal,
    timing: readTiming(timing),
    plan: readPlan(plan),
    payload,
  };
}
