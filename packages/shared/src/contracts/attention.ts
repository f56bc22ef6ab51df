import { z } from 'zod';
import { Instant } from './fields.js';

/** The reasons for which a schedule needs a person. */
export const ATTENTION_KINDS = ['failing', 'paused', 'overdue', 'blocked', 'breaching'] as const;

const AttentionList = z.object({
  count: z
    .int()
    .meta({ description: 'Number of schedules. It is at most 1,000, and 1,000 stands for 1,000 or more.' }),
  items: z
    .array(
      z.object({ id: z.string(), name: z.string().nullable(), at: Instant, note: z.string().nullable() }),
    )
    .meta({ description: 'The first five of these schedules.' }),
});

/** Everything in a project that a person should look at. */
export const Attention = z
  .object({
    failing: AttentionList.meta({ description: 'Schedules with a run that failed within the last day.' }),
    paused: AttentionList.meta({
      description: 'Schedules that Carillon paused: after failures, after 410 Gone, or for a broken rule.',
    }),
    overdue: AttentionList.meta({ description: 'Schedules that have been due for more than 15 seconds.' }),
    blocked: AttentionList.meta({
      description: 'Schedules whose runs wait because the circuit breaker of their receiver is open.',
    }),
    breaching: AttentionList.meta({
      description: 'Schedules with a breach of an objective that has not ended.',
    }),
    herd: z.object({ at: Instant, fires: z.int() }).nullable().meta({
      description:
        'The minute of the next 24 hours with the most fires. Null if no minute has 1,000 fires or more, or if the forecast of a large project is still being computed in the background.',
    }),
  })
  .meta({ id: 'Attention' });
