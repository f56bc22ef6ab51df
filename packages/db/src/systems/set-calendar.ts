import type { Timing } from '@carillon/shared';
import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Pool } from 'pg';
import { inTransaction } from '../database.js';
import type { ChangeResult } from '../schedules/change-schedule.js';
import { type EditResult, editSchedule } from '../schedules/edit-schedule.js';
import { readSchedule } from '../schedules/read-schedules.js';
import { NOW } from '../schema/columns.js';
import { calendars } from '../schema/systems.js';
import { recordAudit } from '../tenancy/audit.js';
import { orm } from '../tenancy/orm.js';
import { type CalendarView, readCalendar, readCalendarUsers } from './calendars.js';

export interface CalendarChange {
  projectId: number;
  name: string;
  /** Dates, ranges of dates, and codes of weekdays. */
  dates: string[];
  actor: string;
}

/**
 * Creates or replaces a calendar. Afterwards `retimeStale` gives the new dates to the schedules that use the calendar,
 * in steps.
 */
export async function setCalendar(
  pool: Pool,
  { projectId, name, dates, actor }: CalendarChange,
): Promise<void> {
  const noSource = {
    sourceUrl: null,
    refreshSeconds: null,
    refreshedAt: null,
    refreshDueAt: null,
    refreshError: null,
  };
  await inTransaction(pool, async (tx) => {
    await orm(tx)
      .insert(calendars)
      .values({ projectId, name, dates })
      .onConflictDoUpdate({
        target: [calendars.projectId, calendars.name],
        set: { dates, updatedAt: NOW, retimedAt: null, ...noSource },
      });
    await recordAudit(tx, { projectId, key: name, actor, action: 'calendar.changed' });
  });
}

/**
 * Maximum number of schedules to which one call of `retimeStale` gives new dates. The calendars that have changed share
 * this number.
 */
const RETIMED_PER_STEP = 500;

export interface RetimeReport {
  retimed: number;
  /** Due times. The caller arms a bell (a wake-up job in Redis) for each. */
  dueAts: number[];
  errors: unknown[];
  /** False if the call reached its limit, so that schedules with an older copy of a calendar may be left. */
  isDone: boolean;
}

/**
 * Gives the current dates to schedules whose copy of a calendar is outdated, and moves their next occurrences. A copy
 * is outdated if the calendar has changed since, or changed while the schedule was being created. One call does a
 * bounded amount of work. A schedule that fails does not stop the others.
 */
export async function retimeStale(pool: Pool): Promise<RetimeReport> {
  const changed = await orm(pool)
    .select({ projectId: calendars.projectId, name: calendars.name, updatedAt: calendars.updatedAt })
    .from(calendars)
    .where(
      or(isNull(calendars.retimedAt), gt(calendars.updatedAt, sql`clock_timestamp() - interval '1 hour'`)),
    )
    .orderBy(sql`random()`)
    .limit(RETIMED_PER_STEP);
  const all: RetimeReport = { retimed: 0, dueAts: [], errors: [], isDone: changed.length < RETIMED_PER_STEP };
  const limit = Math.ceil(RETIMED_PER_STEP / Math.max(1, changed.length));
  for (const calendar of changed) {
    try {
      await retimeUsers(pool, calendar, { limit, all });
    } catch (error) {
      all.errors.push(error);
    }
  }
  return all;
}

interface CalendarRef {
  projectId: number;
  name: string;
}

async function retimeUsers(
  pool: Pool,
  calendar: CalendarRef & { updatedAt: number },
  { limit, all }: { limit: number; all: RetimeReport },
): Promise<void> {
  const keys = await readCalendarUsers(pool, { ...calendar, onlyStale: true, limit });
  let failed = 0;
  for (const key of keys) {
    try {
      const result = await retime(pool, calendar, key);
      if (result?.kind !== 'changed') continue;
      all.retimed++;
      all.dueAts.push(...result.dueAts);
    } catch (error) {
      failed++;
      all.errors.push(error);
    }
  }
  if (keys.length === limit) all.isDone = false;
  else if (failed === 0) await markRetimed(pool, calendar);
}

/** Records that no schedule has an older copy of the calendar, unless the calendar has changed again. */
async function markRetimed(pool: Pool, { projectId, name, updatedAt }: CalendarRef & { updatedAt: number }) {
  await orm(pool)
    .update(calendars)
    .set({ retimedAt: NOW })
    .where(
      and(
        eq(calendars.projectId, projectId),
        eq(calendars.name, name),
        eq(calendars.updatedAt, updatedAt),
        isNull(calendars.retimedAt),
      ),
    );
}

/**
 * Maximum number of tries to give new dates to a schedule that other edits keep changing. After that, the next
 * `retimeStale` tries again.
 */
const MAX_RETIME_TRIES = 5;

/** Gives one schedule the current dates of a calendar. Null if there is nothing to do any more. */
async function retime(
  pool: Pool,
  { projectId, name }: CalendarRef,
  key: string,
): Promise<ChangeResult<EditResult> | null> {
  let result: ChangeResult<EditResult> | null = null;
  for (let tries = 0; tries < MAX_RETIME_TRIES; tries++) {
    const schedule = await readSchedule(pool, projectId, key);
    const calendar = await readCalendar(pool, projectId, name);
    if (!schedule || !calendar || !isStale(schedule.timing, calendar)) return null;
    const { version, tags, rule, plan, payloadText: payload } = schedule;
    const timing = {
      ...schedule.timing,
      calendars: { ...schedule.timing.calendars, [name]: calendar.dates },
    };
    const request = { ref: { projectId, key }, actor: `calendar ${name}`, ifMatch: version };
    result = await editSchedule(pool, request, { name: schedule.name, tags, rule, timing, plan, payload });
    if (result.kind !== 'stale') break;
  }
  return result;
}

/**
 * True if the schedule's copy of a calendar is outdated. False if an edit has dropped the calendar from the schedule.
 */
function isStale({ calendars }: Timing, { name, dates }: CalendarView): boolean {
  const copy = calendars[name];
  return copy !== undefined && JSON.stringify(copy) !== JSON.stringify(dates);
}

export type CalendarRemoval = { kind: 'removed' } | { kind: 'not_found' } | { kind: 'in_use'; by: string[] };

/** Removes a calendar that no schedule uses. */
export async function removeCalendar(
  pool: Pool,
  { projectId, name, actor }: Omit<CalendarChange, 'dates'>,
): Promise<CalendarRemoval> {
  const by = await readCalendarUsers(pool, { projectId, name, onlyStale: false, limit: null });
  if (by.length > 0) return { kind: 'in_use', by };
  return inTransaction(pool, async (tx) => {
    const removed = await orm(tx)
      .delete(calendars)
      .where(and(eq(calendars.projectId, projectId), eq(calendars.name, name)))
      .returning({ name: calendars.name });
    if (removed.length === 0) return { kind: 'not_found' };
    await recordAudit(tx, { projectId, key: name, actor, action: 'calendar.removed' });
    return { kind: 'removed' };
  });
}
