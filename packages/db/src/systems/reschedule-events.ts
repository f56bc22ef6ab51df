import {
  draftSchedule,
  encodeRunId,
  type LeapDayPolicy,
  type Moment,
  momentOf,
  moveYearly,
  type Plan,
  readPlan,
  readTiming,
  type ScheduleInput,
  scheduleYearly,
  storeTiming,
  type Target,
  type Timing,
  yearAt,
} from '@carillon/shared';
import type { Transaction } from '../database.js';
import { recordAudit } from '../lifecycle/change-schedule.js';
import { editSchedule } from '../lifecycle/edit-schedule.js';
import type { LockedSchedule } from '../lifecycle/locked-schedule.js';
import { readCelebrations } from './read-celebrations.js';

/** An event that was not moved: it is being delivered, or somebody changed its schedule meanwhile. */
export interface LeftEvent {
  eventId: string;
  why: 'processing' | 'changed';
}

export interface RescheduleReport {
  rescheduled: number;
  skipped: number;
  skippedIds: string[];
  left: LeftEvent[];
  /** What to arm once this is committed. */
  dueAts: number[];
}

/** Who shows in the audit trail. */
const ACTOR = 'carillon';
const LOG_TARGET: Target = { type: 'handler', name: 'log' };

interface Row {
  name: string;
  date: string;
  localTime: string;
  leapDay: LeapDayPolicy;
  message: string | null;
  scheduleId: number;
  scheduleKey: string;
  version: number;
  occurrenceAt: number | null;
  timing: string;
  plan: string;
  payload: string | null;
  firstName: string;
  lastName: string;
  timezone: string;
  target: Target | null;
  defaultTarget: Target | null;
}

/**
 * Brings the schedules of a user in line with what is known of the user now. What is being delivered goes on as it was
 * begun and counts as skipped; what comes after it goes by the new data. Handling one change twice, or two in the wrong
 * order, makes no difference: it is the user's row that counts, not what the event says of it.
 */
export async function rescheduleEvents(
  tx: Transaction,
  { projectId, subject, type }: { projectId: number; subject: string; type: string },
  now: number | null,
): Promise<RescheduleReport> {
  const report: RescheduleReport = { rescheduled: 0, skipped: 0, skippedIds: [], left: [], dueAts: [] };
  for (const row of await readEvents(tx, projectId, subject)) {
    const wanted = definitionOf(row, subject);
    if (isHeld(row, wanted)) continue;
    const left = await reschedule(tx, row, wanted, now, report.dueAts);
    if (left.length === 0) report.rescheduled++;
    report.left.push(...left);
  }
  report.skipped = report.left.length;
  report.skippedIds = report.left.map(({ eventId }) => eventId);
  const { rescheduled, skipped, skippedIds } = report;
  await recordAudit(tx, {
    projectId,
    key: subject,
    actor: ACTOR,
    action: 'user.events_rescheduled',
    detail: { event: type, rescheduled, skipped, skippedIds },
  });
  return report;
}

/** One statement, so that the user and the versions of the schedules are of the same moment. */
async function readEvents(tx: Transaction, projectId: number, userKey: string): Promise<Row[]> {
  const { rows } = await tx.query<Omit<Row, 'occurrenceAt'> & { occurrenceAt: Date | null }>(
    `select e.name, e.date::text, e.local_time as "localTime", e.leap_day as "leapDay", e.message,
            s.id as "scheduleId", s.key as "scheduleKey", s.version, s.occurrence_at as "occurrenceAt",
            s.timing, s.plan, s.payload::text,
            u.first_name as "firstName", u.last_name as "lastName", u.timezone, u.target, p.default_target as "defaultTarget"
     from users u
     join projects p on p.id = u.project_id
     join user_events e on e.user_id = u.id
     join every_schedule s on s.project_id = e.project_id and s.key = e.schedule_key
     where u.project_id = $1 and u.key = $2 and s.status <> 'cancelled' order by s.id`,
    [projectId, userKey],
  );
  return rows.map((row) => ({ ...row, occurrenceAt: row.occurrenceAt?.getTime() ?? null }));
}

interface Wanted {
  input: ScheduleInput;
  timing: Timing;
  target: Target;
  payload: string;
}

function definitionOf(row: Row, userId: string): Wanted {
  const { firstName, lastName, timezone, scheduleKey: key } = row;
  const target = row.target ?? row.defaultTarget ?? LOG_TARGET;
  const input = scheduleYearly(row, { person: { userId, firstName, lastName, timezone }, key, target });
  const { maxAttempts, baseDelayMs } = readPlan(row.plan).retry;
  // Its target was vetted when the user was written; on each connection it is vetted again.
  const defaults = { target, maxAttempts, baseDelayMs, allowPrivateTargets: true };
  const result = draftSchedule(input, { key, nowAt: 0, defaults });
  if (!result.ok) throw new Error(`the ${row.name} of ${userId}: ${JSON.stringify(result.problems)}`);
  return { input, timing: result.drafted.timing, target, payload: JSON.stringify(input.payload) };
}

function isHeld(row: Row, { timing, target, payload }: Wanted): boolean {
  const plan = readPlan(row.plan);
  return (
    row.timing === storeTiming(timing) &&
    row.payload === payload &&
    JSON.stringify(plan.target) === JSON.stringify(target)
  );
}

/** Edits one schedule under its row lock; answers with the events that were left alone. */
async function reschedule(
  tx: Transaction,
  row: Row,
  { input, timing, target, payload }: Wanted,
  now: number | null,
  dueAts: number[],
): Promise<LeftEvent[]> {
  let left: LeftEvent[] = [];
  const request = { ref: { id: row.scheduleId }, actor: ACTOR, ifMatch: row.version, now };
  const result = await editSchedule(tx, request, async (schedule) => {
    const { processing, latest } = await readCelebrations(tx, schedule);
    left = processing.map((eventId) => ({ eventId, why: 'processing' }));
    const plan: Plan = { ...schedule.plan, target };
    const celebratedYear = latest && yearAt(latest.occurrenceAt, readTiming(latest.timing).timezone);
    const next = nextOf(schedule, { timing, plan, celebratedYear });
    const { name = null, tags = [], rule } = input;
    return { name, tags, rule, timing, plan, payload, next };
  });
  if (result.kind === 'changed') dueAts.push(...result.dueAts);
  if (result.kind === 'stale') left = [{ eventId: pendingId(row), why: 'changed' }];
  return left;
}

function nextOf(
  schedule: LockedSchedule,
  { timing, plan, celebratedYear }: { timing: Timing; plan: Plan; celebratedYear: number | null },
): Moment | null {
  const { occurrenceAt, dueAt, nowAt, key } = schedule;
  const isSame = storeTiming(timing) === storeTiming(schedule.timing);
  if (isSame && occurrenceAt !== null && dueAt !== null) return { occurrenceAt, dueAt };
  const nextAt = moveYearly({
    before: schedule.timing,
    after: timing,
    pendingAt: occurrenceAt,
    celebratedYear,
    nowAt,
  });
  return nextAt === null ? null : momentOf(key, plan, nextAt);
}

/** The id that the event will have when it is delivered. */
function pendingId({ scheduleId, scheduleKey, occurrenceAt }: Row): string {
  return occurrenceAt === null ? scheduleKey : encodeRunId({ scheduleId, occurrenceAt, origin: 'rule' });
}
