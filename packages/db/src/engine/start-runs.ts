import type { DueOccurrence } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { instant, milliseconds, monthOf } from '../instants.js';
import { totals } from '../schedules/schedule-transitions.js';
import { batch, statement, type Values } from '../statement.js';
import type { DueRow } from './claim.js';
import { type Holder, StaleGeneration } from './fencing.js';

/** A decision about a due schedule: start this run, and change the agenda row to the next occurrence. */
export interface RunStart {
  row: DueRow;
  run: DueOccurrence;
  /** The next occurrence; null after the last one. */
  next: DueOccurrence | null;
}

export interface StartOptions extends Holder {
  /**
   * Says what happens if an occurrence has a run already: true leaves that run alone, false makes the statement fail.
   */
  mayExist: boolean;
  nowAt: number;
  leaseMs: number;
}

/** Runs that were started under one lease. */
export interface StartedRuns {
  epoch: number;
  starts: readonly RunStart[];
}

/**
 * Starts the wanted runs, and returns the runs that it has inserted. Two statements, each with its own lease, start the
 * runs: one for schedules that end with this run, one for schedules that go on.
 */
export async function startRuns(
  tx: Transaction,
  wanted: readonly RunStart[],
  options: StartOptions,
): Promise<StartedRuns[]> {
  const last = wanted.filter(({ next }) => next === null);
  const onward = last.length === 0 ? wanted : wanted.filter(({ next }) => next !== null);
  const started: StartedRuns[] = [];
  if (last.length > 0) started.push(await startAll(tx, last, startLast, options));
  if (onward.length > 0) started.push(await startAll(tx, onward, startNext, options));
  return started;
}

async function startAll(
  tx: Transaction,
  wanted: readonly RunStart[],
  statements: ReturnType<typeof prepare>,
  { mayExist, nowAt, leaseMs, workerId, token, generation }: StartOptions,
): Promise<StartedRuns> {
  const rows = wanted.map(({ row, run, next }) => ({
    scheduleId: row.id,
    version: row.version,
    wasDueAt: row.dueAt,
    occurrenceAt: run.occurrenceAt,
    dueAt: run.dueAt,
    nextOccurrenceAt: next?.occurrenceAt ?? null,
    nextDueAt: next?.dueAt ?? null,
    definitionVersion: row.definitionVersion,
  }));
  const [result] = await (mayExist ? statements.unlessThere : statements.new)(tx, {
    now: nowAt,
    leaseMs,
    workerId,
    token,
    generation,
    expected: wanted.length,
    ...starts.of(rows),
  });
  const { epoch = null, started = 0, scheduleIds = null } = result ?? {};
  if (started === wanted.length) return { epoch: epoch ?? 0, starts: wanted };
  if (epoch === null) await refuseStaleGeneration(tx, generation);
  const ours = new Set(scheduleIds?.map(Number));
  return { epoch: epoch ?? 0, starts: wanted.filter(({ row }) => ours.has(row.id)) };
}

const starts = batch<{
  scheduleId: number;
  version: number;
  wasDueAt: number;
  occurrenceAt: number;
  dueAt: number;
  nextOccurrenceAt: number | null;
  nextDueAt: number | null;
  definitionVersion: number;
}>('start', {
  scheduleId: 'bigint',
  version: 'int',
  wasDueAt: 'instant',
  occurrenceAt: 'instant',
  dueAt: 'instant',
  nextOccurrenceAt: 'instant',
  nextDueAt: 'instant',
  definitionVersion: 'int',
});

/**
 * SQL: true if the agenda row has not changed since this claim decided to start its run. Otherwise the run is not
 * started.
 */
const IS_AS_DECIDED = `a.schedule_id = start.schedule_id and a.version = start.version and a.due_at = start.was_due_at
      and not a.is_held`;
const AT = '(select now from clock)';

/** Moves the agenda rows on to their next occurrence. */
const MOVED = `
     update carillon.agenda a
     set occurrence_at = start.next_occurrence_at, due_at = start.next_due_at,
         ${totals({ runs: 'a.runs_total + 1', lastRunAt: 'start.occurrence_at', lastClaimedAt: AT })}
     from ${starts.source} where ${IS_AS_DECIDED}`;

/** Takes schedules off the agenda after their last occurrence. */
const ENDED = `
     delete from carillon.agenda a using ${starts.source} where ${IS_AS_DECIDED}`;

/**
 * When a schedule ends, its row in `agenda` is deleted. So its totals are copied to `schedules`. If this is the only
 * run of the schedule, nothing is copied, because the totals can be computed from that run. So the claim of a one-shot
 * does not write to `schedules`. The caller has locked the rows that are written.
 */
const TOTALLED = `, totalled as (
     update carillon.schedules s
     set ${totals({ runs: 'started.runs_total + 1', lastRunAt: 'started.occurrence_at', lastClaimedAt: AT })}
     from started where s.id = started.schedule_id and started.runs_total > 0
   )`;

/**
 * Starts runs in one statement: verifies that the agenda rows have not changed since the decision, moves them on to the
 * next occurrence (or deletes them), and inserts the runs with their first attempt under a new lease.
 */
const startText = ({ isLast, onConflict }: { isLast: boolean; onConflict: string }) => `
   with clock as materialized (select ${instant(':now')} as now, ${monthOf(instant(':now'))} as month),
   started as (${isLast ? ENDED : MOVED}
     returning a.schedule_id, a.project_id, a.handler, a.runs_total, start.occurrence_at, start.due_at, start.definition_version
   )${isLast ? TOTALLED : ''}, lease as (
     insert into carillon.leases (worker_id, token, generation, claimed_at, open_runs, held_until)
     select :workerId, :token, :generation, ${AT}, (select count(*) from started), ${AT} + ${milliseconds(':leaseMs::int')}
     from carillon.installation where generation = :generation and exists (select from started)
     returning epoch
   ), inserted as (
     insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, handler, status, due_at,
                                recorded_at, happened_at, attempt, epoch, worker_id, claimed_at)
     select started.schedule_id, started.occurrence_at, 'rule', (select month from clock), started.project_id,
            started.definition_version, started.handler, 'running', started.due_at, ${AT}, ${AT}, 1, lease.epoch, :workerId, ${AT}
     from started, lease
     ${onConflict} returning schedule_id
   )
   select (select epoch from lease) as epoch, count(*) as started,
          case when count(*) < :expected then (select array_agg(schedule_id) from inserted) end as "scheduleIds"
   from inserted`;

type Result = { epoch: number | null; started: number; scheduleIds: string[] | null };

/**
 * `new` has no `on conflict` clause, so it fails if a run exists already. `unlessThere` has the clause: it leaves the
 * existing run alone and moves the schedule on, at the cost of an index search per run.
 */
const prepare = (isLast: boolean) => ({
  new: statement<Values, Result>(`start-${isLast ? 'last' : 'next'}`, startText({ isLast, onConflict: '' })),
  unlessThere: statement<Values, Result>(
    `start-${isLast ? 'last' : 'next'}-unless-there`,
    startText({ isLast, onConflict: 'on conflict do nothing' }),
  ),
});
const startLast = prepare(true);
const startNext = prepare(false);

const isCurrent = statement<{ generation: number }, object>(
  'is-current-generation',
  'select from carillon.installation where generation = :generation',
);

/**
 * Throws if this process has an old generation. The generation of the installation grows when an operator decides how
 * to go on after a restore or failover of the database. A process that started before the decision must not claim. The
 * start statement inserts no lease and no run for such a process, but it moves the agenda rows on, so the whole claim
 * must be rolled back.
 */
async function refuseStaleGeneration(tx: Transaction, generation: number): Promise<void> {
  if ((await isCurrent(tx, { generation })).length === 0) throw new StaleGeneration();
}

/** Runs both statements on empty input, so that the connection plans them before the first claim. */
export async function prepareStart(tx: Transaction, holder: Holder): Promise<void> {
  const options = { ...holder, mayExist: false, nowAt: 0, leaseMs: 0 };
  await startAll(tx, [], startLast, options);
  await startAll(tx, [], startNext, options);
}
