import { z } from 'zod';
import { Instant } from './fields.js';
import { FieldError } from './problem.js';
import { SCHEDULE_STATUSES } from './schedule-answer.js';

/** Maximum number of schedules in one plan. */
export const MAX_PLAN_ITEMS = 1_000;

export const PlanInput = z
  .strictObject({
    items: z
      .array(z.unknown())
      .min(1)
      .max(MAX_PLAN_ITEMS)
      .meta({ description: 'Schedules as for PUT /v1/schedules/:id (ScheduleRequest), each with its id.' }),
  })
  .meta({
    id: 'PlanRequest',
    examples: [{ items: [{ id: 'standup', rule: { cron: '0 9 * * 1-5' }, timezone: 'Asia/Tokyo' }] }],
  });

const PlanAction = z.enum(['create', 'restore', 'change', 'keep', 'invalid']).meta({
  description:
    '`create`: the id is free. `restore`: the schedule is cancelled and would start anew. `change`: the definition differs. `keep`: nothing would change. `invalid`: the PUT would be refused, see `errors`.',
});

const Occurrences = z.array(Instant);

export const PlannedSchedule = z
  .object({
    index: z.int(),
    id: z.string().nullable(),
    action: PlanAction,
    version: z.int().nullable().meta({
      description:
        'The version that the plan is based on, for `If-Match`; null if there is no such schedule.',
    }),
    status: z.enum(SCHEDULE_STATUSES).nullable().meta({ description: 'The status of the schedule now.' }),
    tags: z.array(z.string()).nullable().meta({ description: 'The tags of the schedule now.' }),
    changes: z
      .array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() }))
      .meta({ description: 'The fields that differ. The values of headers and secrets are not shown.' }),
    next: Occurrences.nullable().meta({
      description: 'The next five occurrences after the change; null if they stay as they are.',
    }),
    nextBefore: Occurrences.nullable().meta({
      description:
        'The next five occurrences by the definition that holds now; null if they stay, or if there is none.',
    }),
    warnings: z.array(z.string()),
    errors: z.array(FieldError).optional(),
  })
  .meta({ id: 'PlannedSchedule' });
export type PlannedSchedule = z.infer<typeof PlannedSchedule>;

export const PlanAnswer = z
  .object({
    items: z
      .array(PlannedSchedule)
      .meta({ description: 'One result for each item, in the order of the request.' }),
  })
  .meta({ id: 'PlanAnswer' });
