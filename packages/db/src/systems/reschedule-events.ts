import {
  type DueOccurrence,
  draftSchedule,
  dueOccurrenceOf,
  encodeRunId,
  isSameTiming,
  type LeapDayPolicy,
  moveYearly,
  readPlan,
  readTiming,
  SYSTEM_TARGET,
  scheduleYearly,
  type Target,
  yearAt,
} from '@carillon/shared';
import type { Transaction } from '../database.js';
import { type Definition, redefineLocked } from '../schedules/edit-schedule.js';
import { type LockedSchedule, lockSchedule } from '../schedules/locked-schedule.js';
import { statement } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';
import { type Celebrations, readCelebrations } from './read-celebrations.js';

/**
 * A delivery of a yearly event that keeps the old data, because it is under way, or because another request has changed
 * the schedule meanwhile.
 */
export interface LeftEvent {
  eventId: string;
  why: 'processing' | 'changed';
}

export interface RescheduleReport {
  rescheduled: number;
  skipped: number;
  skippedIds: string[];
  left: LeftEvent[];
  /** Due times. The caller arms a bell (a wake-up job in Redis) for each once the change is committed. */
  dueAts: number[];
}

const ACTOR = 'carillon';

/** A yearly event, its user and its schedule. */
interface EventRow {
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
 * A single statement reads the user and the versions of the schedules, so that all values come from the same snapshot.
 */
const selectEvents = statement<{ projectId: number; userKey: string }, EventRow>(
  'read-events-of-user',
  `select e.name, e.date, e.local_time as "localTime", e.leap_day as "leapDay", e.message,
          s.id as "scheduleId", s.key as "scheduleKey", s.version, a.occurrence_at as "occurrenceAt",
          s.timing, s.plan, s.payload::text,
          u.first_name as "firstName", u.last_name as "lastName", u.timezone, u.target,
          p.default_target as "defaultTarget"
   from carillon.users u
   join carillon.projects p on p.id = u.project_id
   join carillon.user_events e on e.user_id = u.id
   join carillon.schedules s on s.project_id = e.project_id and s.key = e.schedule_key
   left join carillon.agenda a on a.schedule_id = s.id
   where u.project_id = :projectId and u.key = :userKey and s.status <> 'cancelled'
   order by s.id`,
);

/**
 * Brings the schedules of a user in line with the user's row. A delivery that is under way keeps the old data and
 * counts as `skipped` in the report; the next delivery uses the new data. The values come from the user's row, not from
 * the domain event, so handling an event twice, or two events out of order, makes no difference.
 */
export async function rescheduleEvents(
  tx: Transaction,
  { projectId, subject, type }: { projectId: number; subject: string; type: string },
  now: number | null,
): Promise<RescheduleReport> {
  const report: RescheduleReport = { rescheduled: 0, skipped: 0, skippedIds: [], left: [], dueAts: [] };
  for (const row of await selectEvents(tx, { projectId, userKey: subject })) {
    const definition = definitionFor(row, subject);
    if (isUpToDate(row, definition)) continue;
    const { left, dueAts } = await reschedule(tx, row, definition, now);
    if (left.length === 0) report.rescheduled++;
    report.left.push(...left);
    report.dueAts.push(...dueAts);
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

/** The definition that the schedule of an event should have. Its policies stay as they are. */
function definitionFor(row: EventRow, userId: string): Definition {
  const { firstName, lastName, timezone, scheduleKey: key } = row;
  const plan = readPlan(row.plan);
  const target = row.target ?? row.defaultTarget ?? SYSTEM_TARGET;
  const input = scheduleYearly(row, { person: { userId, firstName, lastName, timezone }, key, target });
  const { maxAttempts, baseDelayMs } = plan.retry;
  // A target with a private address is allowed here, because the API has checked the target when the user was written,
  // and the worker checks it again for each connection.
  const defaults = { target, maxAttempts, baseDelayMs, allowPrivateTargets: true };
  const result = draftSchedule(input, { key, nowAt: 0, defaults });
  if (!result.ok) throw new Error(`the ${row.name} of ${userId}: ${JSON.stringify(result.problems)}`);
  const { name = null, tags = [], rule } = input;
  const payload = JSON.stringify(input.payload);
  return { name, tags, rule, timing: result.drafted.timing, plan: { ...plan, target }, payload };
}

function isUpToDate(row: EventRow, { timing, plan, payload }: Definition): boolean {
  const { target } = readPlan(row.plan);
  return (
    isSameTiming(readTiming(row.timing), timing) &&
    row.payload === payload &&
    JSON.stringify(target) === JSON.stringify(plan.target)
  );
}

/** Gives one schedule its new definition while it is locked. */
async function reschedule(
  tx: Transaction,
  row: EventRow,
  definition: Definition,
  now: number | null,
): Promise<{ left: LeftEvent[]; dueAts: number[] }> {
  const schedule = await lockSchedule(tx, { id: row.scheduleId }, now);
  if (schedule?.version !== row.version)
    return { left: [{ eventId: pendingIdOf(row), why: 'changed' }], dueAts: [] };
  const { processing, latest } = await readCelebrations(tx, schedule);
  const next = nextOf(schedule, definition, latest);
  const { dueAts } = await redefineLocked(tx, schedule, { definition, next, actor: ACTOR });
  return { left: processing.map((eventId) => ({ eventId, why: 'processing' })), dueAts };
}

function nextOf(
  schedule: LockedSchedule,
  { timing, plan }: Definition,
  latest: Celebrations['latest'],
): DueOccurrence | null {
  const { occurrenceAt, dueAt, nowAt, key } = schedule;
  if (isSameTiming(timing, schedule.timing) && occurrenceAt !== null && dueAt !== null)
    return { occurrenceAt, dueAt };
  const celebratedYear = latest && yearAt(latest.occurrenceAt, readTiming(latest.timing).timezone);
  const nextAt = moveYearly({
    before: schedule.timing,
    after: timing,
    pendingAt: occurrenceAt,
    celebratedYear,
    nowAt,
  });
  return nextAt === null ? null : dueOccurrenceOf(key, plan, nextAt);
}

/** The id of the run that will deliver the event; the key of the schedule if there is no next occurrence. */
function pendingIdOf({ scheduleId, scheduleKey, occurrenceAt }: EventRow): string {
  return occurrenceAt === null ? scheduleKey : encodeRunId({ scheduleId, occurrenceAt, origin: 'rule' });
}
