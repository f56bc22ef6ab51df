import { z } from 'zod';
import { Instant, ScheduleKey } from './fields.js';
import { NullableInstant } from './list.js';

/** An iCal feed shows one schedule, the schedules with a tag, or all schedules of the project. */
export const FeedInput = z
  .strictObject({
    name: z.string().min(1).max(128),
    schedule: ScheduleKey.optional(),
    tag: z.string().min(1).max(64).optional(),
  })
  .refine(({ schedule, tag }) => schedule === undefined || tag === undefined, {
    error: 'expected schedule or tag, not both',
  })
  .meta({ id: 'FeedRequest', examples: [{ name: 'Billing on my phone', tag: 'billing' }] });

export const Feed = z
  .object({
    id: z.int(),
    name: z.string(),
    schedule: z.string().nullable(),
    tag: z.string().nullable(),
    createdAt: Instant,
    lastUsedAt: NullableInstant,
  })
  .meta({ id: 'Feed' });

export const NewFeed = Feed.extend({
  token: z.string().meta({
    description:
      'The token gives access to this feed and to nothing else. It is shown only once, because only its hash is stored.',
  }),
  url: z.string().meta({ description: 'The path of the feed with its token, to subscribe to.' }),
}).meta({ id: 'NewFeed' });
