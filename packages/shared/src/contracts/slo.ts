import { z } from 'zod';
import { DAY_MS, SECOND_MS } from '../durations.js';
import { duration } from './fields.js';

const within = (example: string) => duration({ minMs: SECOND_MS, maxMs: 366 * DAY_MS, example });
const grace = duration({ minMs: 0, maxMs: 30 * DAY_MS, example: 'PT1M' });

const SuccessRate = z
  .strictObject({
    percent: z.number().min(1).max(100),
    last: z.int().min(1).max(1_000).optional().describe('Number of the latest runs that are counted.'),
    window: duration({ minMs: 60 * SECOND_MS, maxMs: 90 * DAY_MS, example: 'P7D' })
      .optional()
      .describe('The length of the window, up to now, whose runs are counted.'),
  })
  .refine(({ last, window }) => (last === undefined) !== (window === undefined), {
    error: 'expected either last (a number of runs) or window (a duration)',
  });

const objectives = {
  startWithin: within('PT1M').optional().describe('A run must start within this time after it is due.'),
  startGrace: grace.optional().describe('Additional time after startWithin before an alert is raised.'),
  endWithin: within('PT30M')
    .optional()
    .describe('A run must have succeeded within this time after it is due.'),
  endGrace: grace.optional().describe('Additional time after endWithin before an alert is raised.'),
  maxDuration: within('PT20M')
    .optional()
    .describe('Maximum duration of a run, from its first attempt to its end, retries included.'),
  successRate: SuccessRate.optional().describe(
    'The percentage of runs that must succeed, of the last n runs or of the runs in a window.',
  ),
};

/** Service level objectives of a schedule. */
export const SloInput = z
  .strictObject(objectives)
  .refine(
    ({ startWithin, endWithin, maxDuration, successRate }) =>
      [startWithin, endWithin, maxDuration, successRate].some((objective) => objective !== undefined),
    { error: 'expected at least one of startWithin, endWithin, maxDuration, successRate' },
  )
  .refine(({ startWithin, startGrace }) => startGrace === undefined || startWithin !== undefined, {
    path: ['startGrace'],
    error: 'needs startWithin',
  })
  .refine(({ endWithin, endGrace }) => endGrace === undefined || endWithin !== undefined, {
    path: ['endGrace'],
    error: 'needs endWithin',
  })
  .meta({
    id: 'SloRequest',
    examples: [{ startWithin: 'PT1M', endWithin: 'PT30M', successRate: { percent: 95, last: 20 } }],
  });
export type SloInput = z.infer<typeof SloInput>;

const Duration = z.string().meta({ format: 'duration' });

/** The objectives of a schedule as the API shows them. An objective that the schedule does not have is left out. */
export const SloAnswer = z
  .object({
    startWithin: Duration.optional(),
    startGrace: Duration.optional(),
    endWithin: Duration.optional(),
    endGrace: Duration.optional(),
    maxDuration: Duration.optional(),
    successRate: z
      .object({ percent: z.number(), last: z.int().optional(), window: Duration.optional() })
      .optional(),
  })
  .meta({ id: 'Slo' });
