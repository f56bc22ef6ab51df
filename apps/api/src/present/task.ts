import type { TaskView } from '@carillon/db';
import type { Task } from '@carillon/shared';
import type { z } from 'zod';

/** A task as the API shows it. */
export function presentTask(task: TaskView): z.infer<typeof Task> {
  return {
    id: task.key,
    title: task.title,
    dueAt: task.dueAt.toISOString(),
    target: task.target,
    reminderSentAt: task.reminderSentAt?.toISOString() ?? null,
    createdAt: task.createdAt.toISOString(),
    updatedAt: task.updatedAt.toISOString(),
  };
}
