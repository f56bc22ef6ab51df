import { z } from 'zod';
import { SECRET_RULE, secretBytes } from '../webhook/secret.js';
import { DAY_MS, duration, HOUR_MS, InstantText, ScheduleKey, SECOND_MS, WebUrl } from './fields.js';
import { Target } from './target.js';

/** One of five; the text of each is read by the rule engine, whose messages say what would be right. */
export const Rule = z
  .strictObject({
    at: z.string().max(64).optional(),
    in: z.string().max(64).optional(),
    every: z.string().max(64).optional(),
    cron: z.string().max(512).optional(),
    rrule: z.string().max(16_384).optional(),
  })
  .refine((rule) => Object.values(rule).filter((value) => value !== undefined).length === 1, {
    error: 'expected exactly one of at, in, every, cron, rrule',
  })
  .meta({ id: 'Rule', examples: [{ cron: '0 9 * * 1-5' }] });

const seconds = (example: string) => duration({ leastMs: 0, mostMs: 366 * DAY_MS, example });

/** What decides when. */
export const timingFields = {
  rule: Rule,
  timezone: z
    .string()
    .max(64)
    .optional()
    .meta({ examples: ['America/New_York'] }),
  startAt: InstantText.nullable().optional(),
  endAt: InstantText.nullable().optional(),
  dst: z
    .strictObject({
      gap: z.enum(['shift', 'skip']).optional(),
      overlap: z.enum(['first', 'second', 'both']).optional(),
    })
    .optional(),
  leapDay: z.enum(['feb28', 'mar1', 'skip']).optional(),
  exclusions: z.array(z.string().max(64)).max(1_000).optional(),
};

/** What a client may say of a schedule, apart from its id. */
const definition = {
  name: z.string().max(256).nullable().optional(),
  tags: z.array(z.string().min(1).max(64)).max(32).optional(),
  ...timingFields,
  maxRuns: z.int().min(1).max(1_000_000_000).nullable().optional(),
  jitter: duration({ leastMs: 0, mostMs: DAY_MS, example: 'PT30S' }).nullable().optional(),
  misfire: z
    .strictObject({
      policy: z.enum(['once', 'all', 'skip']).optional(),
      grace: seconds('PT1M').optional(),
      limit: z.int().min(1).max(1_000).optional(),
    })
    .optional(),
  overlap: z.enum(['allow', 'skip', 'queue', 'cancel']).optional(),
  maxConcurrentRuns: z.int().min(1).max(10_000).nullable().optional(),
  dependsOn: z
    .strictObject({
      schedule: ScheduleKey,
      within: duration({ leastMs: SECOND_MS, mostMs: 366 * DAY_MS, example: 'PT1H' }),
    })
    .nullable()
    .optional(),
  retry: z
    .strictObject({
      maxAttempts: z.int().min(1).max(100).optional(),
      baseDelay: duration({ leastMs: 1, mostMs: DAY_MS, example: 'PT60S' }).optional(),
      maxDelay: duration({ leastMs: 1, mostMs: 7 * DAY_MS, example: 'PT1H' }).optional(),
      jitter: z.boolean().optional(),
    })
    .optional(),
  timeout: duration({ leastMs: 100, mostMs: 24 * HOUR_MS, example: 'PT15S' }).optional(),
  pauseAfterFailures: z.int().min(1).max(1_000).nullable().optional(),
  onSuccess: WebUrl.nullable().optional(),
  onFailure: WebUrl.nullable().optional(),
  secret: z
    .string()
    .refine((secret) => secretBytes(secret) !== null, { error: SECRET_RULE })
    .nullable()
    .optional()
    .meta({ description: 'Signs the deliveries of this schedule. Kept encrypted and never shown again.' }),
  target: Target.optional(),
  /** Any JSON. That it can be kept is seen to where it comes in, by `unstorable`. */
  payload: z.unknown().optional(),
};

export const ScheduleInput = z
  .strictObject({ id: ScheduleKey.optional(), ...definition })
  .meta({ id: 'ScheduleRequest' });
export type ScheduleInput = z.infer<typeof ScheduleInput>;
