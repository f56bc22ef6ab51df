import {
  type Plan,
  REMINDER_PREFIX,
  REMINDER_TAG,
  readPlan,
  readTiming,
  type Timing,
} from '@carillon/shared';
import type { Database } from '../database.js';
import type { ScheduleStatus } from '../lifecycle/locked-schedule.js';
import type { RunStatus } from '../reading/runs.js';
import { Where } from '../reading/where.js';

/** A reminder: a one-shot schedule, and the run that it has become. */
export interface ReminderView {
  id: number;
  key: string;
  status: ScheduleStatus;
  timing: Timing;
  plan: Plan;
  payload: unknown;
  nextRunAt: Date | null;
  createdAt: Date;
  run: ReminderRun | null;
}

export interface ReminderRun {
  status: RunStatus;
  occurrenceAt: Date;
  attempt: number;
  epoch: number | null;
  nextAttemptAt: Date | null;
  /** Of the latest attempt that failed, also when a later one is under way or has succeeded. */
  lastError: string | null;
  externalId: string | null;
}

interface Row
  extends Omit<ReminderView, 'timing' | 'plan' | 'run'>,
    Omit<ReminderRun, 'status' | 'occurrenceAt'> {
  timing: string;
  plan: string;
  runStatus: RunStatus | null;
  occurrenceAt: Date;
}

const SELECT_REMINDERS = `
  select s.id, s.key, s.status, s.timing, s.plan, s.payload, s.next_run_at as "nextRunAt", s.created_at as "createdAt",
         r.status as "runStatus", r.occurrence_at as "occurrenceAt", r.attempt, r.epoch,
         r.next_attempt_at as "nextAttemptAt", r.external_id as "externalId", coalesce(r.error, r.reason, before.error) as "lastError"
  from every_schedule s
  left join lateral (
    select * from every_run where schedule_id = s.id and origin = 'rule' order by occurrence_at desc limit 1
  ) as r on true
  left join lateral (
    select error from attempts a
    where a.schedule_id = s.id and a.occurrence_at = r.occurrence_at and a.origin = 'rule' and a.error is not null
    order by a.number desc limit 1
  ) as before on true`;

/** Ids beginning so are reminders; the tag is what they are found by. */
const IS_REMINDER = `s.key like '${REMINDER_PREFIX.replace('_', '\\_')}%'`;

export async function readReminder(
  db: Database,
  projectId: number,
  key: string,
): Promise<ReminderView | null> {
  const { rows } = await db.query<Row>({
    name: 'read-reminder',
    text: `${SELECT_REMINDERS} where s.project_id = $1 and s.key = $2 and ${IS_REMINDER}`,
    values: [projectId, key],
  });
  return rows[0] ? toView(rows[0]) : null;
}

/** Newest first. */
export async function listReminders(
  db: Database,
  { projectId, limit, beforeId }: { projectId: number; limit: number; beforeId: number | null },
): Promise<ReminderView[]> {
  const where = new Where(projectId)
    .always(`s.project_id = $1 and s.tags @> array['${REMINDER_TAG}']::text[] and ${IS_REMINDER}`)
    .add(beforeId, (id) => `s.id < ${id}`);
  const { rows } = await db.query<Row>(
    `${SELECT_REMINDERS} where ${where.sql} order by s.id desc limit ${where.place(limit)}`,
    where.values,
  );
  return rows.map(toView);
}

function toView({
  runStatus,
  occurrenceAt,
  attempt,
  epoch,
  nextAttemptAt,
  lastError,
  externalId,
  ...row
}: Row) {
  const run =
    runStatus === null
      ? null
      : { status: runStatus, occurrenceAt, attempt, epoch, nextAttemptAt, lastError, externalId };
  return { ...row, timing: readTiming(row.timing), plan: readPlan(row.plan), run };
}
