import { z } from 'zod';
import { REMINDER_PREFIX } from '../reminder.js';
import { SECRET_RULE, secretBytes } from '../webhook/secret.js';
import { YEARLY_EVENT_PREFIX } from '../yearly-event.js';
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
    .meta({ description: 'An IANA name; UTC where nothing is said.', examples: ['America/New_York'] }),
  startAt: InstantText.nullable().optional().describe('Nothing fires before it.'),
  endAt: InstantText.nullable().optional().describe('Nothing fires after it.'),
  dst: z
    .strictObject({
      gap: z.enum(['shift', 'skip']).optional(),
      overlap: z.enum(['first', 'second', 'both']).optional(),
    })
    .optional()
    .describe('What a change of clocks does: to a time that does not exist, and to one that exists twice.'),
  leapDay: z.enum(['feb28', 'mar1', 'skip']).optional().describe('When 29 February fires in other years.'),
  exclusions: z
    .array(z.string().max(64))
    .max(1_000)
    .optional()
    .describe('Local dates, or ranges of them, on which nothing fires: 2026-12-24/2026-12-26.'),
};

/** What a client may say of a schedule, apart from its id. */
const definition = {
  name: z.string().max(256).nullable().optional().describe('For people.'),
  tags: z
    .array(z.string().min(1).max(64))
    .max(32)
    .optional()
    .describe('To find it by, and to act on many at once.'),
  ...timingFields,
  maxRuns: z.int().min(1).max(1_000_000_000).nullable().optional().describe('Finishes after so many runs.'),
  jitter: duration({ leastMs: 0, mostMs: DAY_MS, example: 'PT30S' })
    .nullable()
    .optional()
    .describe('Each occurrence is put off by up to this, so that a herd does not arrive at once.'),
  misfire: z
    .strictObject({
      policy: z.enum(['once', 'all', 'skip']).optional(),
      grace: seconds('PT1M').optional(),
      limit: z.int().min(1).max(1_000).optional(),
    })
    .optional()
    .describe(
      'What becomes of occurrences missed by more than `grace`: run the latest, run all up to `limit`, or skip.',
    ),
  overlap: z
    .enum(['allow', 'skip', 'queue', 'cancel'])
    .optional()
    .describe('What an occurrence does while the run before it goes on.'),
  maxConcurrentRuns: z.int().min(1).max(10_000).nullable().optional().describe('Runs at once.'),
  dependsOn: z
    .strictObject({
      schedule: ScheduleKey,
      within: duration({ leastMs: SECOND_MS, mostMs: 366 * DAY_MS, example: 'PT1H' }),
    })
    .nullable()
    .optional()
    .describe('Runs only if another schedule has succeeded within that time; otherwise it is skipped.'),
  retry: z
    .strictObject({
      maxAttempts: z.int().min(1).max(100).optional(),
      baseDelay: duration({ leastMs: 1, mostMs: DAY_MS, example: 'PT60S' }).optional(),
      maxDelay: duration({ leastMs: 1, mostMs: 7 * DAY_MS, example: 'PT1H' }).optional(),
      jitter: z.boolean().optional(),
    })
    .optional()
    .describe('The delay after attempt n is baseDelay · 2^(n−1), at most maxDelay.'),
  timeout: duration({ leastMs: 100, mostMs: 24 * HOUR_MS, example: 'PT15S' })
    .optional()
    .describe('How long one attempt may take.'),
  pauseAfterFailures: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .optional()
    .describe('Failed runs in a row that pause it.'),
  onSuccess: WebUrl.nullable().optional().describe('Told when a run has succeeded.'),
  onFailure: WebUrl.nullable().optional().describe('Told when a run has failed for good.'),
  secret: z
    .string()
    .refine((secret) => secretBytes(secret) !== null, { error: SECRET_RULE })
    .nullable()
    .optional()
    .meta({ description: 'Signs the deliveries of this schedule. Kept encrypted and never shown again.' }),
  target: Target.optional(),
  /** Any JSON. That it can be kept is seen to where it comes in, by `unstorable`. */
  payload: z.unknown().optional().describe('Any JSON, passed on as such; a number beyond 2^53 is rounded.'),
};

const EXAMPLE = {
  id: 'invoice-42',
  name: 'Invoice reminder',
  tags: ['billing'],
  rule: { cron: '0 9 * * 1-5' },
  timezone: 'America/New_York',
  target: { type: 'webhook', url: 'https://example.com/hook' },
  payload: { invoice: 42 },
};

/** Schedules with these ids are Carillon's own: it reports on them as reminders, and names the events of the year in them. */
const OWN_PREFIXES = [REMINDER_PREFIX, YEARLY_EVENT_PREFIX];
const ChosenKey = ScheduleKey.refine(
  (key) => !OWN_PREFIXES.some((prefix) => key.startsWith(prefix)),
  `expected an id that does not begin with ${OWN_PREFIXES.map((prefix) => `"${prefix}"`).join(' or ')}: these are made by Carillon`,
);

export const ScheduleInput = z
  .strictObject({ id: ChosenKey.optional(), ...definition })
  .meta({ id: 'ScheduleRequest', examples: [EXAMPLE] });
export type ScheduleInput = z.infer<typeof ScheduleInput>;
