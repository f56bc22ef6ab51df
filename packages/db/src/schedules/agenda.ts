import { type DueOccurrence, handlerOf, type Plan } from '@carillon/shared';
import { judgeNextSweep } from '../alerts/watches.js';
import type { Transaction } from '../database.js';
import { instant } from '../instants.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';
import { leaveAgendaOf, totalsOfRemoved } from './schedule-transitions.js';

/**
 * The move of a locked agenda row to its next occurrence by a claim that starts no run now, because it queues the run
 * or skips the occurrence.
 */
export interface AgendaMove {
  scheduleId: number;
  /** Null after the last occurrence: the row leaves the agenda. */
  next: DueOccurrence | null;
  /** 1 if the claim queued a run, which starts later; otherwise 0. */
  runsAdded: number;
}

const moves = batch<{ scheduleId: number; occurrenceAt: number; dueAt: number; runsAdded: number }>('move', {
  scheduleId: 'bigint',
  occurrenceAt: 'instant',
  dueAt: 'instant',
  runsAdded: 'int',
});

const move = statement<Values>(
  'move-agenda',
  `update carillon.agenda a
   set occurrence_at = move.occurrence_at, due_at = move.due_at, runs_total = a.runs_total + move.runs_added
   from ${moves.source} where a.schedule_id = move.schedule_id`,
);

/**
 * Moves agenda rows to their next occurrence. The caller has locked these rows, and the rows in `schedules` of
 * schedules that have no further occurrence.
 */
export async function moveAgenda(tx: Transaction, all: readonly AgendaMove[]): Promise<void> {
  const onward = all.flatMap(({ scheduleId, next, runsAdded }) =>
    next ? [{ scheduleId, ...next, runsAdded }] : [],
  );
  if (onward.length > 0) await move(tx, moves.of(onward));
  for (const { scheduleId, runsAdded, next } of all) {
    if (!next) await leaveAgenda(tx, { scheduleIds: [scheduleId], runsAdded });
  }
}

const leave = statement<{ scheduleIds: string; runsAdded: number }>(
  'leave-agenda',
  `with removed as (
     ${leaveAgendaOf(':scheduleIds')}
   )
   update carillon.schedules s
   set ${totalsOfRemoved({ runsAdded: ':runsAdded' })}
   from removed where s.id = removed.schedule_id`,
);

/**
 * Removes schedules from the agenda, and keeps their totals in `schedules`. A schedule that is not on the agenda stays
 * as it is.
 */
export async function leaveAgenda(
  tx: Transaction,
  { scheduleIds, runsAdded = 0 }: { scheduleIds: readonly number[]; runsAdded?: number },
): Promise<void> {
  await leave(tx, { scheduleIds: arrayOf(scheduleIds), runsAdded });
}

export interface AgendaEntry {
  scheduleId: number;
  projectId: number;
  version: number;
  next: DueOccurrence;
  plan: Plan;
  isHeld: boolean;
  /**
   * This field and the next two are the totals from which a finished schedule continues when it returns to the agenda.
   */
  runsTotal: number;
  lastRunAt: number | null;
  lastClaimedAt: number | null;
}

const upsert = statement<Values>(
  'write-agenda',
  `insert into carillon.agenda as a
     (schedule_id, project_id, version, occurrence_at, due_at, handler, is_held, runs_total, last_run_at, last_claimed_at)
   values (:scheduleId, :projectId, :version, ${instant(':occurrenceAt')}, ${instant(':dueAt')}, :handler, :isHeld, :runsTotal,
           ${instant(':lastRunAt')}, ${instant(':lastClaimedAt')})
   on conflict (schedule_id) do update
   set version = excluded.version, occurrence_at = excluded.occurrence_at, due_at = excluded.due_at,
       handler = excluded.handler, is_held = excluded.is_held, runs_total = excluded.runs_total`,
);

/** Puts a schedule on the agenda, or changes its entry. The caller holds the lock of the schedule. */
export async function writeAgenda(tx: Transaction, { next, plan, ...entry }: AgendaEntry): Promise<void> {
  await upsert(tx, { ...entry, ...next, handler: handlerOf(plan) });
  if (plan.slo !== null) await judgeNextSweep(tx, entry.scheduleId);
}
