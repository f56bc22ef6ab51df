import type { Moment } from '@carillon/shared';
import { askLast, type Transaction } from '../database.js';
import { found, fromMs, numberArray, textArray } from '../sql-text.js';
import type { DueRow } from './read-due.js';

export interface Start {
  row: DueRow;
  run: Moment;
  next: Moment | null;
}

/** Whether all that the row of a schedule would say after this start is told by its definition and this run. */
const tellsAll = ({ row, next }: Start): boolean =>
  next === null && row.runsTotal === 0 && !row.isTouched && !row.isWrittenAtOnce;

/** By `status::text` no index of active schedules can be gone through for the batch, only the key looked up (see `found`). */
const IS_AS_DECIDED_ON = `${found('s.id', 'input.id')} and s.status::text = 'active' and s.version = input.version
      and s.next_run_at = ${fromMs('input.was_due_at')}`;
const STARTED = `s.id, s.project_id, s.definition_version, s.counted, ${fromMs('input.occurrence_at')} as occurrence_at,
              ${fromMs('input.due_at')} as due_at, input.is_written`;

/**
 * The claim. In one statement: re-verify what was decided on, move the schedule on, and put the run with its first attempt under
 * a new lease. A row that changed in between does not match and is not ours.
 *
 * The lease names the run, and its row is written when it ends; at once where others must find it before that, or where the
 * occurrence may have its run already. Then the run is not made again, and its schedule has moved on all the same.
 *
 * A schedule that fires once has nothing to move on to, and is gone (`tellsAll`).
 */
const START_RUNS = `
  with input as (
    select * from unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bool[],
                         $13::bool[])
      as input(id, version, was_due_at, occurrence_at, due_at, next_occurrence_at, next_due_at, is_written, is_kept)
  ), gone as (
    delete from schedules s using input
    where input.is_kept is null and ${IS_AS_DECIDED_ON}
    returning ${STARTED}
  ), moved as (
    update schedules s
    set status = case when input.next_due_at is null then 'finished'::schedule_status else 'active' end,
        occurrence_at = ${fromMs('input.next_occurrence_at')},
        next_run_at = ${fromMs('input.next_due_at')},
        runs_total = s.runs_total + 1,
        last_run_at = ${fromMs('input.occurrence_at')},
        last_enqueued_at = ${fromMs('$10::bigint')}
    from input
    where input.is_kept and ${IS_AS_DECIDED_ON}
    returning ${STARTED}
  ), started as (
    select * from gone union all select * from moved
  ), lease as (
    insert into leases (worker_id, claimed_at, held_until, schedule_ids, occurrence_ats, due_ats, versions)
    select $9, ${fromMs('$10::bigint')}, ${fromMs('$10::bigint + $11::bigint')},
           array_agg(id), array_agg(occurrence_at), array_agg(due_at), array_agg(definition_version)
    from started having count(*) > 0
    returning epoch, cardinality(schedule_ids) as size
  ), written as (
    insert into runs (schedule_id, occurrence_at, origin, project_id, version, status, due_at, enqueued_at,
                      attempt, open, epoch, worker_id, claimed_at)
    select started.id, started.occurrence_at, 'rule', started.project_id, started.definition_version, 'running',
           started.due_at, ${fromMs('$10::bigint')}, 1, nullif(started.counted, false), lease.epoch, $9, ${fromMs('$10::bigint')}
    from started, lease
    where started.is_written
    on conflict do nothing
    returning schedule_id
  )
  select lease.epoch,
         case when lease.size = $12 and not exists (select from input where is_written) then null
              else (select coalesce(json_agg(id), '[]') from started
                    where is_written is not true or id in (select schedule_id from written)) end
  from lease`;

export interface StartOptions {
  workerId: number;
  nowAt: number;
  leaseMs: number;
}

export interface Started {
  epoch: number;
  starts: readonly Start[];
}

/** Starts the runs that were decided on, and commits; answers with those that are really ours. */
export async function startRuns(
  tx: Transaction,
  starts: readonly Start[],
  { workerId, nowAt, leaseMs }: StartOptions,
): Promise<Started> {
  const { rows } = await askLast<[number, number[] | null]>(tx, {
    name: 'start-runs',
    text: START_RUNS,
    rowMode: 'array',
    values: [
      numberArray(starts.map(({ row }) => row.id)),
      numberArray(starts.map(({ row }) => row.version)),
      numberArray(starts.map(({ row }) => row.dueAt)),
      numberArray(starts.map(({ run }) => run.occurrenceAt)),
      numberArray(starts.map(({ run }) => run.dueAt)),
      numberArray(starts.map(({ next }) => next?.occurrenceAt ?? null)),
      numberArray(starts.map(({ next }) => next?.dueAt ?? null)),
      textArray(starts.map(({ row }) => (row.isWrittenAtOnce ? 'true' : null))),
      workerId,
      nowAt,
      leaseMs,
      starts.length,
      textArray(starts.map((start) => (tellsAll(start) ? null : 'true'))),
    ],
  });
  const [started] = rows;
  if (!started) return { epoch: 0, starts: [] };
  const [epoch, ids] = started;
  if (ids === null) return { epoch, starts };
  const ours = new Set(ids);
  return { epoch, starts: starts.filter(({ row }) => ours.has(row.id)) };
}
