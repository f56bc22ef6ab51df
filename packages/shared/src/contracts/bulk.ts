import { z } from 'zod';
import { InstantInput, MomentInput, NullableInstant } from './list.js';
import { SCHEDULE_STATUSES } from './schedule-answer.js';

export const MOST_AT_ONCE = 10_000;

/** Each item is judged by itself, so what is wrong with one does not keep the others out. */
export const BulkInput = z
  .strictObject({
    items: z
      .array(z.unknown())
      .min(1)
      .max(MOST_AT_ONCE)
      .meta({ description: 'Schedules as for POST /v1/schedules (ScheduleRequest).' }),
  })
  .meta({
    id: 'BulkRequest',
    examples: [{ items: [{ id: 'a', rule: { in: 'PT5M' } }, { rule: { cron: '0 9 * * *' } }] }],
  });

export const BulkResult = z
  .object({
    index: z.int(),
    id: z.string().nullable(),
    result: z.enum(['created', 'existing', 'conflict', 'invalid', 'over_limit']),
    nextRunAt: NullableInstant,
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'BulkResult' });

export const BulkAnswer = z
  .object({
    created: z.int(),
    existing: z.int(),
    refused: z.int(),
    items: z.array(BulkResult).meta({ description: 'One for each item, in order.' }),
  })
  .meta({ id: 'BulkAnswer' });

/** What a list of schedules can be narrowed down by. */
export const scheduleFilter = {
  status: z.enum(SCHEDULE_STATUSES).optional(),
  tag: z.string().min(1).max(64).optional(),
  q: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: 'Anywhere in the id or the name; one or two letters: where a word begins.' }),
  target: z.enum(['webhook', 'queue', 'handler', 'call']).optional(),
  dueBefore: InstantInput.optional(),
  dueAfter: InstantInput.optional(),
};

export const ScheduleFilter = z.strictObject(scheduleFilter).meta({ id: 'ScheduleFilter' });

export const BULK_ACTIONS = [
  'pause',
  'resume',
  'cancel',
  'trigger',
  'skip-next',
  'reschedule',
  'backfill',
] as const;

/** An action takes the fields that it takes on one schedule. */
export const ActionInput = z
  .strictObject({
    action: z.enum(BULK_ACTIONS),
    filter: ScheduleFilter.default({}),
    dryRun: z.boolean().default(false),
    note: z.string().max(1_000).nullable().optional(),
    until: MomentInput.nullable().optional(),
    at: MomentInput.optional(),
    from: MomentInput.optional(),
    to: MomentInput.optional(),
    cursor: z.string().max(200).optional().meta({ description: 'The nextCursor of the call before.' }),
  })
  .meta({
    id: 'ActionRequest',
    examples: [{ action: 'pause', filter: { tag: 'billing' }, note: 'incident 7', dryRun: true }],
  });

export const ActionAnswer = z
  .object({
    action: z.enum(BULK_ACTIONS),
    dryRun: z.boolean(),
    matched: z.int(),
    changed: z.int(),
    refused: z.int(),
    refusals: z
      .array(z.object({ id: z.string(), reason: z.string() }))
      .meta({ description: 'The first hundred.' }),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: 'Not null where more matched than one call changes: call again with it.' }),
  })
  .meta({ id: 'ActionAnswer' });
