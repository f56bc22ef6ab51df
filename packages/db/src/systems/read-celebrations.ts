import { encodeRunId, type RunOrigin, storeTiming } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { readInFlight } from '../lifecycle/cancel-schedule.js';
import type { LockedSchedule } from '../lifecycle/locked-schedule.js';
import { toMs } from '../sql-text.js';

export interface Celebrations {
  /** The ids of events that are on their way: in a worker's hands, waiting for another try, or due this moment. */
  processing: string[];
  /** The latest that went out or is on its way, and the timing that named it. */
  latest: { occurrenceAt: number; timing: string } | null;
}

/** What has been celebrated under a schedule, and what is being celebrated now. The caller holds its row lock. */
export async function readCelebrations(tx: Transaction, schedule: LockedSchedule): Promise<Celebrations> {
  const waiting = await readWaiting(tx, schedule.id);
  const running = await readInFlight(tx, schedule.id);
  const due = dueNow(schedule);
  const processing = [...new Set([...waiting, ...running, ...due].map(encodeRunId))];
  const [pending] = due;
  const latest = pending
    ? { occurrenceAt: pending.occurrenceAt, timing: storeTiming(schedule.timing) }
    : await readLatest(tx, schedule);
  return { processing, latest };
}

/** Due and not claimed yet: an edit does not take it back, it goes out. */
function dueNow({ id: scheduleId, status, occurrenceAt, dueAt, nowAt }: LockedSchedule) {
  const isDue = status === 'active' && occurrenceAt !== null && dueAt !== null && dueAt <= nowAt;
  return isDue ? [{ scheduleId, occurrenceAt, origin: 'rule' as const }] : [];
}

async function readWaiting(tx: Transaction, scheduleId: number) {
  const { rows } = await tx.query<{ occurrenceAt: number; origin: RunOrigin }>({
    name: 'read-waiting-celebrations',
    text: `select ${toMs('occurrence_at')} as "occurrenceAt", origin from runs where schedule_id = $1 and open`,
    values: [scheduleId],
  });
  return rows.map((row) => ({ scheduleId, ...row }));
}

/**
 * Skipped in a pause is not celebrated; skipped because somebody asked for it is done with. Where history has been
 * dropped, the schedule still knows when it last ran.
 */
async function readLatest(tx: Transaction, { id, timing }: LockedSchedule): Promise<Celebrations['latest']> {
  const { rows } = await tx.query<{ occurrenceAt: number; timing: string }>({
    name: 'read-latest-celebration',
    text: `select ${toMs('r.occurrence_at')} as "occurrenceAt", v.timing
           from every_run r join schedule_versions v on v.schedule_id = r.schedule_id and v.version = r.version
           where r.schedule_id = $1 and r.origin = 'rule'
             and (r.status not in ('skipped', 'cancelled') or r.reason_code = 'skipped_by_request')
           union all
           select ${toMs('last_run_at')}, $2 from schedules where id = $1 and last_run_at is not null
             and not exists (
               select from every_run where schedule_id = $1 and occurrence_at = last_run_at and origin = 'rule'
             )
           order by 1 desc limit 1`,
    values: [id, storeTiming(timing)],
  });
  return rows[0] ?? null;
}
