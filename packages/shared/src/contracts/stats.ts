import { z } from 'zod';
import { Instant } from './fields.js';

const outcomes = {
  succeeded: z.int(),
  failed: z.int(),
  skipped: z.int(),
  cancelled: z.int(),
  running: z
    .int()
    .meta({ description: 'Number of runs that were claimed in this step and have not ended yet.' }),
  lateness: z.object({ count: z.int(), p50Ms: z.number().nullable(), p99Ms: z.number().nullable() }).meta({
    description:
      'Time from when a run was due until its first attempt. A quantile is the upper bound of its bucket.',
  }),
};

export const StatsStep = z.object({ at: Instant, ...outcomes }).meta({ id: 'StatsStep' });

/** Counts of runs by outcome, and their lateness, for each step of a range of time. */
export const Stats = z
  .object({
    from: Instant,
    to: Instant,
    step: z.string().meta({ format: 'duration', examples: ['PT1M'] }),
    complete: z.boolean().meta({
      description:
        'False if some minutes may not be counted. Workers count the runs of each minute during the sweep, their regular pass over Postgres, and this request counts the last five minutes itself. If no sweep has counted for longer than that, the minutes in between are not counted yet.',
    }),
    total: z.object(outcomes),
    items: z.array(StatsStep).meta({ description: 'One item for each step, also for a step without a run.' }),
  })
  .meta({ id: 'Stats' });
