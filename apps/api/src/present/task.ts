import type { TaskView } from '@carillon/db';
import { redactTarget, type Task } from '@carillon/shared';
import type { z } from 'zod';
import { iso } from './iso.js';

/** A task as the API shows it. */
export function presentTask(task: TaskView): z.infer<typeof Task> {
  return {
    id: task.key,
    title: task.title,
    dueAt: iso(task.dueAt),
    target: redactTarget(task.target),
    reminderSentAt: iso(task.reminderSentAt),
    createdAt: iso(task.createdAt),
    updatedAt: iso(task.updatedAt),
  };
}
