import { type DueOccurrence, dueOccurrenceAfter, type Stretch } from '@carillon/shared';
import type { Database } from '../database.js';
import { instant } from '../instants.js';
import { accountFor } from '../runs/account-for.js';
import { statement } from '../statement.js';
import { leaveAgenda, writeAgenda } from './agenda.js';
import { ChangeRefused, type ChangeRequest, type ChangeResult, changeSchedule } from './change-schedule.js';
import type { LockedSchedule } from './locked-schedule.js';
import { canTake } from './schedule-transitions.js';

const touch = statement<{ id: number; now: number }>(
  'touch-schedule',
  `update carillon.schedules set updated_at = ${instant(':now')} where id = :id`,
);

/** Makes the next occurrence, and only that one, due at another time. The occurrence itself stays the same. */
export function rescheduleNext(
  db: Database,
  request: ChangeRequest,
  at: number,
): Promise<ChangeResult<DueOccurrence>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    const { occurrenceAt } = nextOf(schedule, 'rescheduled');
    const next = { occurrenceAt, dueAt: at };
    const { id: scheduleId, status } = schedule;
    await writeAgenda(tx, { ...schedule, scheduleId, next, isHeld: status === 'paused' });
    await touch(tx, { id: scheduleId, now: schedule.nowAt });
    return {
      value: next,
      audit: { action: 'schedule.rescheduled', detail: { occurrenceAt: iso(occurrenceAt), to: iso(at) } },
    };
  });
}

/**
 * Skips the next occurrence and records it as a skipped run. If there is no further occurrence, an active schedule is
 * then finished, and a paused one is finished when it is resumed.
 */
export function skipNext(db: Database, request: ChangeRequest): Promise<ChangeResult<DueOccurrence>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    const skipped = nextOf(schedule, 'skipped');
    const { id: scheduleId, status, nowAt } = schedule;
    const { occurrenceAt } = skipped;
    await accountFor(tx, [{ schedule, stretch: skippedStretch(occurrenceAt, request.actor) }], nowAt);
    const next = dueOccurrenceAfter(schedule, occurrenceAt);
    if (next) await writeAgenda(tx, { ...schedule, scheduleId, next, isHeld: status === 'paused' });
    else await leaveAgenda(tx, { scheduleIds: [scheduleId] });
    await touch(tx, { id: scheduleId, now: nowAt });
    return {
      value: skipped,
      audit: { action: 'schedule.next_skipped', detail: { occurrenceAt: iso(occurrenceAt) } },
    };
  });
}

/** The record of one occurrence that a person has skipped. */
export const skippedStretch = (occurrenceAt: number, actor: string): Stretch => ({
  fromAt: occurrenceAt,
  toAt: occurrenceAt,
  count: 1,
  reasonCode: 'skipped_by_request',
  reason: `skipped by ${actor}`,
});

/** Says why a schedule has no next occurrence that a person could change; null if it has one. */
export const noNextRefusal =
  (what: string) =>
  ({ status, occurrenceAt }: LockedSchedule): string | null => {
    const hasNext = occurrenceAt !== null && canTake('move', status);
    return hasNext ? null : `it is ${status} and has no next occurrence that could be ${what}`;
  };

function nextOf(schedule: LockedSchedule, what: string): DueOccurrence {
  const refusal = noNextRefusal(what)(schedule);
  if (refusal !== null) throw new ChangeRefused(refusal);
  return { occurrenceAt: schedule.occurrenceAt as number, dueAt: schedule.dueAt as number };
}

const iso = (at: number) => new Date(at).toISOString();
