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
    target: Target.nullable().optional().meta({ description: 'Where its reminder goes.' }),
  })
  .meta({ id: 'TaskRequest', examples: [{ title: 'File the tax return', dueAt: '2026-11-17T12:00:00Z' }] });
export type TaskInput = z.infer<typeof TaskInput>;

/** What is left out stays. */
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

/** What a scan did. */
export const TaskScan = z
  .object({
    workerRunId: z.string(),
    due: z.int().meta({ description: 'Tasks that were found to need a reminder.' }),
    sent: z.int(),
    skipped: z.int().meta({ description: 'Somebody else had reminded of them by then.' }),
    failed: z.int(),
  })
  .meta({ id: 'TaskScan' });
