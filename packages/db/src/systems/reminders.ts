import {
  type Plan,
  REMINDER_PREFIX,
  REMINDER_TAG,
  readPlan,
  readTiming,
  type Timing,
} from '@carillon/shared';
import type { Database } from '../database.js';
import type { RunStatus } from '../runs/run-transitions.js';
import { SCHEDULE_STATUS, type ScheduleStatus } from '../schedules/schedule-columns.js';
import { statement } from '../statement.js';

/** A reminder: a one-shot schedule, and its run once it has fired. */
export interface ReminderView {
  id: number;
  key: string;
  status: ScheduleStatus;
  timing: Timing;
  plan: Plan;
  payload: unknown;
  nextRunAt: number | null;
  createdAt: number;
  run: ReminderRun | null;
}

export interface ReminderRun {
  status: RunStatus;
  occurrenceAt: number;
  attempt: number;
  epoch: number | null;
  /** Null if no attempt is planned, for example while the schedule is paused. */
  nextAttemptAt: number | null;
  /** The error of the latest failed attempt, even if a later attempt is in flight or has succeeded. */
  lastError: string | null;
  externalId: string | null;
}

interface Row extends Omit<ReminderView, 'timing' | 'plan' | 'run'>, Omit<ReminderRun, 'status'> {
  timing: string;
  plan: string;
  /** Null if the reminder has no run yet; the other columns of the run are null as well. */
  runStatus: RunStatus | null;
}

/**
 * Reminders are found by their tag, which has an index. Clients may use the same tag, so the prefix of the id is
 * checked as well.
 */
const IS_REMINDER = `s.key like '${REMINDER_PREFIX.replace('_', '\\_')}%'`;

const SELECT_REMINDERS = `
  select s.id, s.key, ${SCHEDULE_STATUS} as status, s.timing, s.plan, s.payload, a.due_at as "nextRunAt",
         s.created_at as "createdAt", r.status as "runStatus", r.occurrence_at as "occurrenceAt", r.attempt, r.epoch,
         nullif(r.next_attempt_at, 'infinity') as "nextAttemptAt", r.external_id as "externalId",
         coalesce(r.error, r.reason, earlier.error) as "lastError"
  from carillon.schedules s
  left join carillon.agenda a on a.schedule_id = s.id
  left join lateral (
    select * from carillon.runs where schedule_id = s.id and origin = 'rule' order by occurrence_at desc limit 1
  ) as r on true
  left join lateral (
    select error from carillon.attempts
    where schedule_id = s.id and occurrence_at = r.occurrence_at and origin = 'rule' and error is not null
    order by number desc limit 1
  ) as earlier on true`;

const selectByKey = statement<{ projectId: number; key: string }, Row>(
  'read-reminder',
  `${SELECT_REMINDERS} where s.project_id = :projectId and s.key = :key and ${IS_REMINDER}`,
);

export async function readReminder(
  db: Database,
  projectId: number,
  key: string,
): Promise<ReminderView | null> {
  const [row] = await selectByKey(db, { projectId, key });
  return row ? toView(row) : null;
}

interface ReminderPage {
  projectId: number;
  limit: number;
  beforeId: number | null;
}

const selectPage = statement<ReminderPage, Row>(
  'list-reminders',
  `${SELECT_REMINDERS}
   where s.project_id = :projectId and s.tags @> array['${REMINDER_TAG}']::text[] and ${IS_REMINDER}
     and (:beforeId::bigint is null or s.id < :beforeId)
   order by s.id desc limit :limit`,
);

/** Lists reminders, newest first. */
export async function listReminders(
  db: Database,
  { projectId, limit, beforeId }: ReminderPage,
): Promise<ReminderView[]> {
  return (await selectPage(db, { projectId, limit, beforeId })).map(toView);
}

function toView(row: Row): ReminderView {
  const { id, key, status, payload, nextRunAt, createdAt, runStatus } = row;
  const { occurrenceAt, attempt, epoch, nextAttemptAt, lastError, externalId } = row;
  const timing = readTiming(row.timing);
  const plan = readPlan(row.plan);
  const run = runStatus && {
    status: runStatus,
    occurrenceAt,
    attempt,
    epoch,
    nextAttemptAt,
    lastError,
    externalId,
  };
  return { id, key, status, timing, plan, payload, nextRunAt, createdAt, run };
}
