import { z } from 'zod';
import { Instant } from './fields.js';
import { InstantInput, NullableInstant } from './list.js';
import { Target } from './target.js';

export const TaskKey = z
  .string()
  .max(64)
  .meta({ examples: ['tsk_4f1c0b7a'] });

export const TaskInput = z
  .strictObject({
    title: z.string().trim().min(1).max(1_000),
    dueAt: InstantInput,
    target: Target.nullable().optional().meta({ description: 'The target of the reminder.' }),
  })
  .meta({ id: 'TaskRequest', examples: [{ title: 'File the tax return', dueAt: '2026-11-17T12:00:00Z' }] });
export type TaskInput = z.infer<typeof TaskInput>;

/** Omitted fields keep their value. */
export const TaskPatch = TaskInput.partial().meta({ id: 'TaskPatch' });

export const Task = z
  .object({
    id: TaskKey,
    title: z.string(),
    dueAt: Instant,
    target: Target.nullable(),
    reminderSentAt: NullableInstant,
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'Task' });

/** The result of a scan for tasks that need a reminder. */
export const TaskScan = z
  .object({
    workerRunId: z.string(),
    due: z.int().meta({ description: 'Number of tasks that needed a reminder.' }),
    sent: z.int(),
    skipped: z
      .int()
      .meta({ description: 'Number of tasks for which another scan had created the reminder already.' }),
    failed: z.int(),
  })
  .meta({ id: 'TaskScan' });
