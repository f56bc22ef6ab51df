import type { Moment } from '@carillon/shared';
import { askLast, type Transaction } from '../database.js';
import { found, fromMs, numberArray } from '../sql-text.js';
import type { DueRow } from './read-due.js';

export interface Start {
  row: DueRow;
  run: Moment;
  next: Moment | null;
}

/**
 * The claim. In one statement: re-verify what was decided on, move the schedule on, open the run and its first
 * attempt under a new lease. A row that changed in between does not match and is not ours.
 *
 * By `status::text` no index of active schedules can be gone through for the batch, only the key looked up (see `found`).
 *
 * Where a run may exist already (schedule, occurrence, origin) it is not made again, and its schedule has moved on all the
 * same. Being ready for that costs two searches and a record of the log more for each run, so it is not the usual way.
 */
const startRunsText = ({ mayExist }: { mayExist: boolean }) => `
  with input as (
    select * from unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
      as input(id, version, was_due_at, occurrence_at, due_at, next_occurrence_at, next_due_at)
  ), lease as (
    insert into leases (worker_id, expires_at) values ($8, ${fromMs('$9::bigint + $10::bigint')}) returning epoch
  ), moved as (
    update schedules s
    set status = case when input.next_due_at is null then 'finished'::schedule_status else 'active' end,
        occurrence_at = ${fromMs('input.next_occurrence_at')},
        next_run_at = ${fromMs('input.next_due_at')},
        runs_total = s.runs_total + 1,
        last_run_at = ${fromMs('input.occurrence_at')},
        last_enqueued_at = ${fromMs('$9::bigint')}
    from input
    where ${found('s.id', 'input.id')} and s.status::text = 'active' and s.version = input.version
      and s.next_run_at = ${fromMs('input.was_due_at')}
    returning s.id, s.project_id, s.definition_version, s.counted, input.occurrence_at, input.due_at
  ), started as (
    insert into runs (schedule_id, occurrence_at, origin, project_id, version, status, due_at, enqueued_at,
                      attempt, open, epoch, worker_id, claimed_at)
    select moved.id, ${fromMs('moved.occurrence_at')}, 'rule', moved.project_id, moved.definition_version, 'running',
           ${fromMs('moved.due_at')}, ${fromMs('$9::bigint')}, 1, nullif(moved.counted, false), lease.epoch, $8, ${fromMs('$9::bigint')}
    from moved, lease
    ${mayExist ? 'on conflict do nothing' : ''}
    returning schedule_id
  )
  select lease.epoch, (select coalesce(json_agg(schedule_id), '[]') from started) from lease`;

const START_RUNS = startRunsText({ mayExist: false });
const START_RUNS_THAT_MAY_EXIST = startRunsText({ mayExist: true });

export interface StartOptions {
  workerId: number;
  nowAt: number;
  leaseMs: number;
  /** Without this, a run that exists already is an error. */
  mayExist: boolean;
}

/** Starts the runs that were decided on, and commits; answers with the epoch, and those that are really ours. */
export async function startRuns(
  tx: Transaction,
  starts: readonly Start[],
  { workerId, nowAt, leaseMs, mayExist }: StartOptions,
): Promise<{ epoch: number; started: readonly Start[] }> {
  const { rows } = await askLast<[number, number[]]>(tx, {
    name: mayExist ? 'start-runs-that-may-exist' : 'start-runs',
    text: mayExist ? START_RUNS_THAT_MAY_EXIST : START_RUNS,
    rowMode: 'array',
    values: [
      numberArray(starts.map(({ row }) => row.id)),
      numberArray(starts.map(({ row }) => row.version)),
      numberArray(starts.map(({ row }) => row.dueAt)),
      numberArray(starts.map(({ run }) => run.occurrenceAt)),
      numberArray(starts.map(({ run }) => run.dueAt)),
      numberArray(starts.map(({ next }) => next?.occurrenceAt ?? null)),
      numberArray(starts.map(({ next }) => next?.dueAt ?? null)),
      workerId,
      nowAt,
      leaseMs,
    ],
  });
  const [[epoch, ids]] = rows as [[number, number[]]];
  if (ids.length === starts.length) return { epoch, started: starts };
  const ours = new Set(ids);
  return { epoch, started: starts.filter(({ row }) => ours.has(row.id)) };
}
