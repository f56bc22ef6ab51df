import { draftSchedule, type ScheduleDefaults, SYSTEM_TARGET, type Target } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { NOW } from '../instants.js';
import { createSchedules } from '../schedules/create-schedules.js';
import { statement } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';

/** A task needs a reminder if it is due within 24 hours and no reminder was sent in the last 24 hours. */
const NEEDS_REMINDER = `
  due_at >= ${NOW} and due_at <= ${NOW} + interval '24 hours'
  and (reminder_sent_at is null or reminder_sent_at < ${NOW} - interval '24 hours')`;

/** Maximum number of tasks per scan. Further tasks wait for the next scan. */
const MAX_PER_SCAN = 1_000;

const ACTOR = 'task-scan';

interface ScanScope {
  /** Null for the tasks of all projects. */
  projectId: number | null;
  now: number | null;
}

const selectTasks = statement<ScanScope, { id: number }>(
  'find-tasks-to-remind',
  `select id from carillon.tasks where ${NEEDS_REMINDER} and (:projectId::bigint is null or project_id = :projectId)
   order by due_at, id limit ${MAX_PER_SCAN}`,
);

/** Finds the tasks that need a reminder, soonest first. */
export async function findTasksToRemind(db: Database, { projectId, now }: ScanScope): Promise<number[]> {
  const rows = await selectTasks(db, { projectId, now });
  return rows.map(({ id }) => id);
}

interface TakenTask {
  projectId: number;
  key: string;
  title: string;
  dueAt: number;
  target: Target | null;
  defaultTarget: Target | null;
  sentAt: number;
}

/**
 * Checks and sets `reminder_sent_at` in one statement. If two scans run at once, the second one waits and then finds
 * that the column is set.
 */
const takeTask = statement<{ id: number; now: number | null }, TakenTask>(
  'take-task',
  `update carillon.tasks t set reminder_sent_at = ${NOW}
   from carillon.projects p
   where t.id = :id and p.id = t.project_id and ${NEEDS_REMINDER}
   returning t.project_id as "projectId", t.key, t.title, t.due_at as "dueAt", t.target,
             p.default_target as "defaultTarget", t.reminder_sent_at as "sentAt"`,
);

interface Reminding {
  id: number;
  workerRunId: string;
  defaults: ScheduleDefaults;
  now: number | null;
}

/**
 * Sends the reminder of one task. `reminder_sent_at`, the schedule that delivers the reminder and the audit entry are
 * written in one transaction. Returns false if the task no longer needs a reminder.
 */
export function remindOfTask(pool: Pool, { id, workerRunId, defaults, now }: Reminding): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const [task] = await takeTask(tx, { id, now });
    if (!task) return false;
    await scheduleReminder(tx, task, { workerRunId, defaults });
    const { projectId, key, sentAt } = task;
    const timestamp = new Date(sentAt).toISOString();
    const detail = { task_id: key, action: 'reminder_sent', timestamp, worker_run_id: workerRunId };
    await recordAudit(tx, { projectId, key, actor: ACTOR, action: 'reminder_sent', detail });
    return true;
  });
}

/**
 * The reminder is a schedule that is due at once. It is delivered, retried and accounted for like any other schedule.
 */
async function scheduleReminder(
  tx: Transaction,
  task: TakenTask,
  { workerRunId, defaults }: Pick<Reminding, 'workerRunId' | 'defaults'>,
): Promise<void> {
  const { projectId, sentAt, title } = task;
  const dueAt = new Date(task.dueAt).toISOString();
  const key = `${task.key}-${sentAt}`;
  const input = {
    name: `Reminder: ${title}`.slice(0, 256),
    tags: ['task-reminder'],
    rule: { at: new Date(sentAt).toISOString() },
    payload: { taskId: task.key, title, dueAt, message: `Due ${dueAt}: ${title}`, workerRunId },
    ...(task.target ? { target: task.target } : {}),
  };
  const target = task.defaultTarget ?? SYSTEM_TARGET;
  const result = draftSchedule(input, { key, nowAt: sentAt, defaults: { ...defaults, target } });
  if (!result.ok)
    throw new Error(result.problems.map(({ field, message }) => `${field}: ${message}`).join('; '));
  const draft = { ...result.drafted, key, payload: JSON.stringify(input.payload), requestHash: key };
  await createSchedules(tx, { projectId, actor: ACTOR, drafts: [draft] });
}
