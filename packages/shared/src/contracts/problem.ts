import { z } from 'zod';

/** What went wrong, by RFC 9457. */
export const ProblemAnswer = z
  .object({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  })
  .meta({
    id: 'Problem',
    examples: [
      {
        type: 'about:blank',
        title: 'Invalid request',
        status: 400,
        detail: 'rule.cron: field 2 (hour) is 25; expected 0-23',
        instance: '/v1/schedules',
        errors: [{ field: 'rule.cron', message: 'field 2 (hour) is 25; expected 0-23' }],
      },
    ],
  });
