import { type DueOccurrence, dueOccurrenceAfter } from '@carillon/shared';
import type { Pool } from 'pg';
import { inFireTransaction, type Transaction } from '../database.js';
import { instant } from '../instants.js';
import { accountFor, type PassedOccurrences } from '../runs/account-for.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';
import { managedByDetail, recordManyAudits } from '../tenancy/audit.js';
import { leaveAgenda } from './agenda.js';
import { type LockedSchedule, lockSchedules } from './locked-schedule.js';
import { noNextRefusal, skippedStretch } from './move-next.js';
import { promoteLocked } from './promote-queued.js';
import { afterPause, releaseRetries, resumeRefusal } from './resume-schedule.js';
import { RESUME } from './schedule-transitions.js';
import type { StopRequest } from './stop-many.js';
import { cancelledRefusal, triggerLocked } from './trigger-backfill.js';

export interface ChangeManyResult {
  /** Number of schedules that were changed. */
  changed: number;
  /** Schedules in a state in which the change is not possible. */
  refusals: { id: string; reason: string }[];
  /** Schedules that could not be changed together with the others. The caller changes them one by one. */
  others: string[];
  /** Due times. The caller arms a bell (a wake-up job in Redis) for each once the change is committed. */
  dueAts: number[];
}

interface Done {
  schedule: LockedSchedule;
  /** The detail of the audit entry. */
  detail?: object | undefined;
}

/**
 * Locks many schedules in ascending order, changes those that can be changed together, and writes an audit entry for
 * each, in one transaction. Meanwhile, claims skip the locked rows. So once the change is committed, the caller arms
 * the bells (wake-up jobs in Redis) of these schedules again.
 */
function changeMany(
  pool: Pool,
  { projectId, ids, actor }: StopRequest,
  action: string,
  refusalOf: (schedule: LockedSchedule) => string | null,
  change: (
    tx: Transaction,
    schedules: LockedSchedule[],
    nowAt: number,
  ) => Promise<{ done: Done[]; dueAts: number[] }>,
): Promise<ChangeManyResult> {
  return inFireTransaction(pool, async (tx) => {
    const { schedules, nowAt } = await lockSchedules(tx, { projectId, ids });
    const refusals: ChangeManyResult['refusals'] = [];
    const fitting: LockedSchedule[] = [];
    for (const schedule of schedules) {
      const reason = refusalOf(schedule);
      if (reason === null) fitting.push(schedule);
      else refusals.push({ id: schedule.key, reason });
    }
    const { done, dueAts } = fitting.length > 0 ? await change(tx, fitting, nowAt) : { done: [], dueAts: [] };
    const entries = done.map(({ schedule, detail }) => ({
      key: schedule.key,
      detail: managedByDetail(schedule.tags, detail),
    }));
    await recordManyAudits(tx, { projectId, actor, action, nowAt, entries });
    const changed = new Set(done.map(({ schedule }) => schedule.id));
    const others = fitting.filter(({ id }) => !changed.has(id)).map(({ key }) => key);
    return { changed: done.length, refusals, others, dueAts };
  });
}

const moves = batch<{ id: number; version: number; occurrenceAt: number; dueAt: number }>('move', {
  id: 'bigint',
  version: 'int',
  occurrenceAt: 'instant',
  dueAt: 'instant',
});

const moveAll = statement<Values>(
  'move-many',
  `with touched as (
     update carillon.schedules set updated_at = ${instant(':now')} where id = any(:ids::bigint[])
   )
   update carillon.agenda a set occurrence_at = move.occurrence_at, due_at = move.due_at
   from ${moves.source} where a.schedule_id = move.id`,
);

const resumeAll = statement<Values>(
  'resume-many',
  `with resumed as (
     update carillon.schedules
     set ${RESUME}
     where id = any(:ids::bigint[])
   )
   update carillon.agenda a
   set version = move.version, is_held = false, occurrence_at = move.occurrence_at, due_at = move.due_at
   from ${moves.source} where a.schedule_id = move.id`,
);

interface Moved {
  schedule: LockedSchedule;
  next: DueOccurrence | null;
}

/**
 * The parameters of `moveAll` and `resumeAll`. A resume increases the version of a schedule, and `resumeAll` writes the
 * new version to the agenda. `moveAll` does not use the version. If `resumeAll` read the new versions from the rows
 * that it updates, Postgres would join two lists of a thousand rows by comparing a million pairs.
 */
const movesOf = (moved: readonly Moved[], now: number): Values => ({
  now,
  ids: arrayOf(moved.map(({ schedule }) => schedule.id)),
  ...moves.of(
    moved.flatMap(({ schedule: { id, version }, next }) =>
      next ? [{ id, version: version + 1, ...next }] : [],
    ),
  ),
});

/** Removes the schedules without a next occurrence from the agenda. */
async function finishEnded(tx: Transaction, moved: readonly Moved[]): Promise<void> {
  const ended = moved.filter(({ next }) => next === null).map(({ schedule }) => schedule.id);
  if (ended.length > 0) await leaveAgenda(tx, { scheduleIds: ended });
}

const dueAtsOf = (moved: readonly Moved[]) => moved.flatMap(({ next }) => (next ? [next.dueAt] : []));

export function resumeMany(pool: Pool, request: StopRequest): Promise<ChangeManyResult> {
  return changeMany(pool, request, 'schedule.resumed', resumeRefusal, async (tx, schedules, nowAt) => {
    const ids = schedules.map(({ id }) => id);
    const resumed = schedules.map((schedule) => ({ schedule, ...afterPause(schedule, nowAt) }));
    const passed: PassedOccurrences[] = resumed.flatMap(({ schedule, passed }) =>
      passed ? [{ schedule, stretch: passed }] : [],
    );
    await accountFor(tx, passed, nowAt);
    await resumeAll(tx, movesOf(resumed, nowAt));
    await finishEnded(tx, resumed);
    await releaseRetries(tx, { ids: arrayOf(ids), now: nowAt });
    await promoteLocked(tx, schedules);
    return { done: resumed, dueAts: [...dueAtsOf(resumed), nowAt] };
  });
}

export function skipNextOfMany(pool: Pool, request: StopRequest): Promise<ChangeManyResult> {
  return changeMany(
    pool,
    request,
    'schedule.next_skipped',
    noNextRefusal('skipped'),
    async (tx, schedules, nowAt) => {
      const skipped = schedules.map((schedule) => {
        const occurrenceAt = schedule.occurrenceAt as number;
        return { schedule, occurrenceAt, next: dueOccurrenceAfter(schedule, occurrenceAt) };
      });
      const passed = skipped.map(({ schedule, occurrenceAt }) => ({
        schedule,
        stretch: skippedStretch(occurrenceAt, request.actor),
      }));
      await accountFor(tx, passed, nowAt);
      await moveAll(tx, movesOf(skipped, nowAt));
      await finishEnded(tx, skipped);
      const done = skipped.map(({ schedule, occurrenceAt }) => ({
        schedule,
        detail: { occurrenceAt: iso(occurrenceAt) },
      }));
      return { done, dueAts: dueAtsOf(skipped.filter(({ schedule }) => schedule.status === 'active')) };
    },
  );
}

export function rescheduleNextOfMany(
  pool: Pool,
  request: StopRequest,
  at: number,
): Promise<ChangeManyResult> {
  return changeMany(
    pool,
    request,
    'schedule.rescheduled',
    noNextRefusal('rescheduled'),
    async (tx, schedules, nowAt) => {
      const moved = schedules.map((schedule) => ({
        schedule,
        next: { occurrenceAt: schedule.occurrenceAt as number, dueAt: at },
      }));
      await moveAll(tx, movesOf(moved, nowAt));
      const done = moved.map(({ schedule, next }) => ({
        schedule,
        detail: { occurrenceAt: iso(next.occurrenceAt), to: iso(at) },
      }));
      return { done, dueAts: [at] };
    },
  );
}

export function triggerMany(pool: Pool, request: StopRequest): Promise<ChangeManyResult> {
  return changeMany(
    pool,
    request,
    'schedule.triggered',
    cancelledRefusal('triggered'),
    async (tx, schedules, nowAt) => ({ done: await triggerLocked(tx, schedules, nowAt), dueAts: [nowAt] }),
  );
}

const iso = (at: number) => new Date(at).toISOString();
