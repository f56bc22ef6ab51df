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
      description: 'Only runs with this receiver, written as in the answer of GET /v1/runs/dead-letters.',
      examples: ['example.com/hook'],
    }),
  error: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: 'Only runs whose last error is exactly this text.' }),
};

/** The filter for dead letters (runs that failed for good). */
export const deadLetterFilter = {
  ...failedRuns,
  from: MomentInput.optional(),
  to: MomentInput.optional(),
};

const DeadLetterGroup = z
  .object({
    receiver: z.string().meta({
      description:
        'The host and path of a webhook; for other targets `queue`, `handler` or `call` with its name.',
    }),
    error: z.string(),
    runs: z.int(),
    schedules: z.int(),
    examples: z.array(z.string()).meta({ description: 'Up to three schedules, the latest failure first.' }),
    oldestAt: Instant,
    latestAt: Instant.meta({ description: 'The instant at which the last of these runs failed.' }),
  })
  .meta({ id: 'DeadLetterGroup' });

/** Runs that failed for good, by receiver and error. */
export const DeadLetters = z
  .object({
    runs: z.int().meta({ description: 'Number of failed runs in these groups.' }),
    complete: z.boolean().meta({
      description:
        'False if the answer covers only the latest failed runs (up to 100,000), or only the 200 largest groups. Narrow the filter to see the others.',
    }),
    groups: z.array(DeadLetterGroup).meta({ description: 'The groups, with the largest first.' }),
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
      .meta({ description: 'Only runs of these schedules.' }),
    filter: ScheduleFilter.optional().meta({ description: 'Only runs of schedules that match this filter.' }),
    from: MomentInput.optional(),
    to: MomentInput.optional(),
    limit: z.int().min(1).max(100_000).default(1_000),
    perSecond: z.number().min(0.1).max(10_000).default(100),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: 'If true, nothing changes, and the answer shows what would be replayed.' }),
  })
  .meta({
    id: 'ReplayRequest',
    examples: [{ receiver: 'example.com/hook', from: '2026-11-16T00:00:00Z', perSecond: 20, dryRun: true }],
  });

export const ReplayAnswer = z
  .object({
    dryRun: z.boolean(),
    replayed: z.int().meta({ description: 'Number of runs that were replayed; 0 for a dry run.' }),
    hasMore: z.boolean().meta({
      description:
        'True if `limit` runs were found, so more failed runs may match. A dry run looks at the latest 10,000 failed runs.',
    }),
    preview: z
      .object({
        runs: z.int(),
        schedules: z.int(),
        examples: z.array(z.string()).meta({ description: 'Up to ten schedules, the oldest failure first.' }),
        oldestAt: NullableInstant.meta({
          description: 'The instant at which the first of these runs failed.',
        }),
        latestAt: NullableInstant,
      })
      .nullable()
      .meta({ description: 'The result of a dry run; null otherwise.' }),
  })
  .meta({ id: 'ReplayAnswer' });
