import { z } from 'zod';
import { ScheduleFilter } from './bulk.js';
import { Instant, ScheduleKey } from './fields.js';
import { MomentInput, NullableInstant } from './list.js';

const failedRuns = {
  schedule: ScheduleKey.optional(),
  receiver: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .meta({
      description: 'Runs whose receiver is this one, as GET /v1/runs/dead-letters names it.',
      examples: ['example.com/hook'],
    }),
  error: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: 'Runs whose last error is exactly this text.' }),
};

/** The filter for dead letters (runs that failed for good). */
export const deadLetterFilter = {
  ...failedRuns,
  from: MomentInput.optional(),
  to: MomentInput.optional(),
};

const DeadLetterGroup = z
  .object({
    receiver: z
      .string()
      .meta({ description: 'Host and path of a webhook; `queue`, `handler` or `call` with its name.' }),
    error: z.string(),
    runs: z.int(),
    schedules: z.int(),
    examples: z.array(z.string()).meta({ description: 'Up to three schedules, the latest failure first.' }),
    oldestAt: Instant,
    latestAt: Instant.meta({ description: 'When the last of these runs failed.' }),
  })
  .meta({ id: 'DeadLetterGroup' });

/** Runs that failed for good, by receiver and error. */
export const DeadLetters = z
  .object({
    runs: z.int().meta({ description: 'Failed runs in these groups.' }),
    complete: z.boolean().meta({
      description:
        'False if only the latest failed runs (up to 100,000), or the 200 largest groups, were looked at. Narrow the filter to see the others.',
    }),
    groups: z.array(DeadLetterGroup).meta({ description: 'The largest group first.' }),
  })
  .meta({ id: 'DeadLetters' });

/** The failed runs to replay, and the rate at which they are tried. */
export const ReplayInput = z
  .strictObject({
    ...failedRuns,
    schedules: z
      .array(ScheduleKey)
      .min(1)
      .max(1_000)
      .optional()
      .meta({ description: 'Runs of any of these schedules.' }),
    filter: ScheduleFilter.optional().meta({ description: 'Runs of all schedules that match.' }),
    from: MomentInput.optional(),
    to: MomentInput.optional(),
    limit: z.int().min(1).max(100_000).default(1_000),
    perSecond: z.number().min(0.1).max(10_000).default(100),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: 'Changes nothing, and shows what would be replayed.' }),
  })
  .meta({
    id: 'ReplayRequest',
    examples: [{ receiver: 'example.com/hook', from: '2026-11-16T00:00:00Z', perSecond: 20, dryRun: true }],
  });

export const ReplayAnswer = z
  .object({
    dryRun: z.boolean(),
    replayed: z.int().meta({ description: 'Runs that were replayed; 0 for a dry run.' }),
    hasMore: z.boolean().meta({
      description:
        'True if `limit` runs were found, so more failed runs may match. A dry run looks at the latest 10,000 failed runs.',
    }),
    preview: z
      .object({
        runs: z.int(),
        schedules: z.int(),
        examples: z.array(z.string()).meta({ description: 'Up to ten schedules, the oldest failure first.' }),
        oldestAt: NullableInstant.meta({ description: 'When the first of these runs failed.' }),
        latestAt: NullableInstant,
      })
      .nullable()
      .meta({ description: 'What a dry run found; null otherwise.' }),
  })
  .meta({ id: 'ReplayAnswer' });
