import { draftSchedule, type ScheduleDefaults, type Target } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { recordAudit } from '../lifecycle/change-schedule.js';
import { createSchedules } from '../lifecycle/create-schedules.js';
import { nowOr, toMs } from '../sql-text.js';

/** A task needs a reminder when it is due within a day and there was none in the last one. */
const NEEDS_REMINDER = (now: string) => `
  due_at >= ${now} and due_at <= ${now} + interval '24 hours'
  and (reminder_sent_at is null or reminder_sent_at < ${now} - interval '24 hours')`;

/** More wait for the next scan. */
export const MOST_PER_SCAN = 1_000;

/** The tasks that need a reminder, soonest first. */
export async function findTasksToRemind(
  db: Database,
  { projectId, now }: { projectId: number | null; now: number | null },
): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from tasks where ${NEEDS_REMINDER(nowOr('$1'))} and ($2::bigint is null or project_id = $2)
     order by due_at, id limit $3`,
    [now, projectId, MOST_PER_SCAN],
  );
  return rows.map(({ id }) => id);
}

interface ClaimedTask {
  projectId: number;
  key: string;
  title: string;
  dueAt: Date;
  target: Target | null;
  defaultTarget: Target | null;
  sentAt: number;
}

/**
 * Sends the reminder of one task, in a transaction of its own: looks at the flag and sets it in one statement, hands the
 * reminder to the engine and writes the audit entry. Answers whether it was ours to send.
 */
export async function remindOfTask(
  pool: Pool,
  {
    id,
    workerRunId,
    defaults,
    now,
  }: { id: number; workerRunId: string; defaults: ScheduleDefaults; now: number | null },
): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const task = await takeTask(tx, id, now);
    if (!task) return false;
    await handToEngine(tx, task, { workerRunId, defaults });
    const { projectId, key } = task;
    const timestamp = new Date(task.sentAt).toISOString();
    const detail = { task_id: key, action: 'reminder_sent', timestamp, worker_run_id: workerRunId };
    await recordAudit(tx, { projectId, key, actor: 'task-scan', action: 'reminder_sent', detail });
    return true;
  });
}

/** Of two scans that come by at once, the second waits for the first and finds the flag set. */
async function takeTask(tx: Transaction, id: number, now: number | null): Promise<ClaimedTask | null> {
  const { rows } = await tx.query<ClaimedTask>({
    name: 'take-task',
    text: `update tasks t set reminder_sent_at = ${nowOr('$2')}
           from projects p
           where t.id = $1 and p.id = t.project_id and ${NEEDS_REMINDER(nowOr('$2'))}
           returning t.project_id as "projectId", t.key, t.title, t.due_at as "dueAt", t.target,
                     p.default_target as "defaultTarget", ${toMs('t.reminder_sent_at')} as "sentAt"`,
    values: [id, now],
  });
  return rows[0] ?? null;
}

/** The reminder is a schedule that is due at once: it is delivered, retried and accounted for like any other. */
async function handToEngine(
  tx: Transaction,
  task: ClaimedTask,
  { workerRunId, defaults }: { workerRunId: string; defaults: ScheduleDefaults },
): Promise<void> {
  const { projectId, sentAt, title } = task;
  const dueAt = task.dueAt.toISOString();
  const key = `${task.key}-${sentAt}`;
  const input = {
    name: `Reminder: ${title}`.slice(0, 256),
    tags: ['task-reminder'],
    rule: { at: new Date(sentAt).toISOString() },
    payload: { taskId: task.key, title, dueAt, message: `Due ${dueAt}: ${title}`, workerRunId },
    ...(task.target ? { target: task.target } : {}),
  };
  const target = task.defaultTarget ?? defaults.target;
  const result = draftSchedule(input, { key, nowAt: sentAt, defaults: { ...defaults, target } });
  if (!result.ok)
    throw new Error(result.problems.map(({ field, message }) => `${field}: ${message}`).join('; '));
  const draft = { ...result.drafted, key, payload: JSON.stringify(input.payload), requestHash: key };
  await createSchedules(tx, { projectId, actor: 'task-scan', drafts: [draft] });
}
