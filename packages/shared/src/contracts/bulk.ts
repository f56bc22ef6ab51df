import { z } from 'zod';
import { ATTENTION_KINDS } from './attention.js';
import { Instant } from './fields.js';
import { InstantInput, MomentInput, NullableInstant } from './list.js';
import { FieldError } from './problem.js';
import { SCHEDULE_STATUSES } from './schedule-answer.js';

export const MAX_BULK_ITEMS = 10_000;

/** Items are validated one by one, so an invalid item does not reject the others. */
export const BulkInput = z
  .strictObject({
    items: z
      .array(z.unknown())
      .min(1)
      .max(MAX_BULK_ITEMS)
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
    errors: z.array(FieldError).optional(),
  })
  .meta({ id: 'BulkResult' });

export const BulkAnswer = z
  .object({
    created: z.int(),
    existing: z.int(),
    refused: z.int(),
    items: z
      .array(BulkResult)
      .meta({ description: 'One result for each item, in the order of the request.' }),
  })
  .meta({ id: 'BulkAnswer' });

/** The filters of a list of schedules. */
export const scheduleFilter = {
  status: z.enum(SCHEDULE_STATUSES).optional(),
  tag: z.string().min(1).max(64).optional(),
  q: z.string().min(1).max(128).optional().meta({
    description:
      'Text to search for in the id and the name. One or two letters match only the beginning of a word.',
  }),
  target: z.enum(['webhook', 'queue', 'handler', 'call', 'heartbeat']).optional(),
  dueBefore: InstantInput.optional(),
  dueAfter: InstantInput.optional(),
  attention: z.enum(ATTENTION_KINDS).optional().meta({
    description:
      'Only schedules that need attention for this reason, as `/v1/attention` counts them. At most 1,000.',
  }),
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

/** A bulk action takes the same fields as the action on a single schedule. */
export const ActionInput = z
  .strictObject({
    action: z.enum(BULK_ACTIONS),
    filter: ScheduleFilter.default({}),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: 'If true, nothing changes, and the answer shows what would be changed.' }),
    background: z.boolean().default(false).meta({
      description:
        'If true, the API answers 202 at once and acts on all matches in the background. Read the progress with the id of the answer.',
    }),
    note: z.string().max(1_000).nullable().optional(),
    until: MomentInput.nullable().optional(),
    at: MomentInput.optional(),
    from: MomentInput.optional(),
    to: MomentInput.optional(),
    cursor: z.string().max(200).optional().meta({ description: 'The nextCursor of the previous call.' }),
  })
  .meta({
    id: 'ActionRequest',
    examples: [{ action: 'pause', filter: { tag: 'billing' }, note: 'incident 7', dryRun: true }],
  });

const ActionStatus = z.enum(['running', 'done', 'failed', 'lost']).meta({
  description: '`lost`: the replica that carries out the action has not reported for a minute.',
});

const progress = {
  matched: z.int().meta({ description: 'The number of matching schedules that have been handled.' }),
  changed: z.int(),
  refused: z.int(),
  refusals: z
    .array(z.object({ id: z.string(), reason: z.string() }))
    .meta({ description: 'The first hundred refusals.' }),
};

/** The results of a dry run, besides the number of matches. */
const DryRun = z.object({
  complete: z
    .boolean()
    .meta({ description: 'False if more schedules match than are counted; `matched` is then 100,000.' }),
  examples: z
    .array(z.object({ id: z.string(), name: z.string().nullable(), nextRunAt: NullableInstant }))
    .meta({ description: 'The first ten matching schedules.' }),
  next24h: z.object({ fires: z.int(), complete: z.boolean() }).meta({
    description:
      'Number of fires of the matching schedules in the next 24 hours if the action is not applied. It is complete for up to 20,000 schedules.',
  }),
});

export const ActionAnswer = z
  .object({
    id: z.uuid().nullable().meta({
      description:
        'The id with which GET /v1/schedules/actions/{id} returns the progress; null for a dry run.',
    }),
    action: z.enum(BULK_ACTIONS),
    dryRun: z.boolean(),
    status: ActionStatus,
    ...progress,
    preview: DryRun.nullable().meta({ description: 'The result of a dry run; null otherwise.' }),
    nextCursor: z.string().nullable().meta({
      description:
        'Not null if the action was interrupted: send the same request with this `cursor` to go on.',
    }),
  })
  .meta({ id: 'ActionAnswer' });

/** How far a bulk action has got. */
export const ActionProgress = z
  .object({
    id: z.uuid(),
    action: z.enum(BULK_ACTIONS),
    actor: z.string(),
    status: ActionStatus,
    total: z.int().nullable().meta({
      description:
        'The number of schedules that matched when the action began; null if they were not counted.',
    }),
    ...progress,
    error: z.string().nullable(),
    nextCursor: z.string().nullable().meta({
      description:
        'Not null if the action ended before all matches were handled: send the same request with this `cursor` to go on.',
    }),
    startedAt: Instant,
    reportedAt: Instant,
    finishedAt: NullableInstant,
  })
  .meta({ id: 'ActionProgress' });
