import { z } from 'zod';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../durations.js';
import { REMINDER_PREFIX } from '../reminder.js';
import { SECRET_RULE, secretBytes } from '../webhook/secret.js';
import { YEARLY_EVENT_PREFIX } from '../yearly-event.js';
import { CalendarName } from './calendar-name.js';
import { duration, InstantText, ScheduleKey, WebUrl } from './fields.js';
import { SloInput } from './slo.js';
import { Target } from './target.js';

/** Exactly one of five kinds of rule. The rule engine validates the text and explains errors. */
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

const seconds = (example: string) => duration({ minMs: 0, maxMs: 366 * DAY_MS, example });

/** The fields that decide when a schedule fires. */
export const timingFields = {
  rule: Rule,
  timezone: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'The IANA name of a time zone. Default: UTC.', examples: ['America/New_York'] }),
  startAt: InstantText.nullable().optional().describe('Nothing fires before this instant.'),
  endAt: InstantText.nullable().optional().describe('Nothing fires after this instant.'),
  dst: z
    .strictObject({
      gap: z.enum(['shift', 'skip']).optional(),
      overlap: z.enum(['first', 'second', 'both']).optional(),
    })
    .optional()
    .describe(
      'Policies for clock changes (DST): for a local time that does not exist (gap) and for one that occurs twice (overlap).',
    ),
  leapDay: z
    .enum(['feb28', 'mar1', 'skip'])
    .optional()
    .describe(
      'The day on which a rule for 29 February fires in other years. Default: skip for cron, feb28 for rrule.',
    ),
  exclusions: z
    .array(z.string().max(64))
    .max(1_000)
    .optional()
    .describe(
      'Local dates (2026-12-24), ranges of dates (2026-12-24/2026-12-26) or names of calendars on which nothing fires.',
    ),
  calendars: z
    .array(CalendarName)
    .max(100)
    .optional()
    .describe('Calendars whose dates and weekends are excluded, besides those that `exclusions` names.'),
  onExcluded: z
    .enum(['skip', 'next', 'previous'])
    .optional()
    .describe(
      'The policy for an occurrence on an excluded day: leave it out, or move it to the next or the previous business day at the same local time, by up to 31 days. Default: skip.',
    ),
  businessDays: z
    .array(z.int().min(-31).max(31))
    .max(31)
    .optional()
    .describe(
      'Fires only on these business days of a month: 3 is the third, -1 the last. A business day is a day that is not excluded.',
    ),
};

/** The fields of a schedule that a client may set, except its id. */
const definition = {
  name: z.string().max(256).nullable().optional().describe('A display name.'),
  tags: z
    .array(z.string().min(1).max(64))
    .max(32)
    .optional()
    .describe('Labels for finding schedules and for acting on many of them at once.'),
  ...timingFields,
  maxRuns: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .nullable()
    .optional()
    .describe('The schedule finishes after this many runs.'),
  jitter: duration({ minMs: 0, maxMs: DAY_MS, example: 'PT30S' })
    .nullable()
    .optional()
    .describe(
      'Delays each occurrence by a random duration up to this one, so that many schedules do not fire at one instant.',
    ),
  misfire: z
    .strictObject({
      policy: z.enum(['once', 'all', 'skip']).optional(),
      grace: seconds('PT1M').optional(),
      limit: z.int().min(1).max(1_000).optional(),
    })
    .optional()
    .describe(
      'The policy for occurrences that are late by more than `grace`: run the latest, run all up to `limit`, or skip.',
    ),
  overlap: z
    .enum(['allow', 'skip', 'queue', 'cancel'])
    .optional()
    .describe('The policy for an occurrence that is due while the previous run is still open.'),
  maxConcurrentRuns: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .optional()
    .describe('Maximum number of runs at the same time.'),
  dependsOn: z
    .strictObject({
      schedule: ScheduleKey,
      within: duration({ minMs: SECOND_MS, maxMs: 366 * DAY_MS, example: 'PT1H' }),
    })
    .nullable()
    .optional()
    .describe(
      'An occurrence runs only if the other schedule has succeeded within this time. Otherwise it is skipped.',
    ),
  retry: z
    .strictObject({
      maxAttempts: z.int().min(1).max(100).optional(),
      baseDelay: duration({ minMs: 1, maxMs: DAY_MS, example: 'PT60S' }).optional(),
      maxDelay: duration({ minMs: 1, maxMs: 7 * DAY_MS, example: 'PT1H' }).optional(),
      jitter: z.boolean().optional(),
    })
    .optional()
    .describe('The delay after attempt n is baseDelay · 2^(n−1), at most maxDelay.'),
  timeout: duration({ minMs: 100, maxMs: 24 * HOUR_MS, example: 'PT15S' })
    .optional()
    .describe(
      'Maximum duration of one attempt. For webhooks and calls the installation sets a maximum (MAX_OUTGOING_TIMEOUT_SECONDS, 15 minutes by default).',
    ),
  pauseAfterFailures: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .optional()
    .describe('The schedule pauses after this many failed runs in a row.'),
  onSuccess: WebUrl.nullable().optional().describe('A URL that receives a receipt when a run has succeeded.'),
  onFailure: WebUrl.nullable()
    .optional()
    .describe('A URL that receives a receipt when a run has failed for good.'),
  secret: z
    .string()
    .refine((secret) => secretBytes(secret) !== null, { error: SECRET_RULE })
    .nullable()
    .optional()
    .meta({
      description:
        'The secret that signs the deliveries of this schedule. It is stored encrypted and never shown again.',
    }),
  slo: SloInput.nullable()
    .optional()
    .describe('Service level objectives. A breach raises an alert in the channels of the project.'),
  target: Target.optional(),
  /** Any JSON. `unstorable` checks on arrival that Postgres can store it. */
  payload: z
    .unknown()
    .optional()
    .describe(
      'Any JSON, delivered unchanged. Integers of any size are kept; handlers and queues receive them as JavaScript numbers.',
    ),
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

/** Ids with these prefixes are reserved for reminders and for yearly events, which Carillon creates itself. */
const OWN_PREFIXES = [REMINDER_PREFIX, YEARLY_EVENT_PREFIX];
export const ChosenKey = ScheduleKey.refine(
  (key) => !OWN_PREFIXES.some((prefix) => key.startsWith(prefix)),
  `expected an id that does not begin with ${OWN_PREFIXES.map((prefix) => `"${prefix}"`).join(' or ')}: these are made by Carillon`,
);

export const ScheduleInput = z
  .strictObject({ id: ChosenKey.optional(), ...definition })
  .meta({ id: 'ScheduleRequest', examples: [EXAMPLE] });
export type ScheduleInput = z.infer<typeof ScheduleInput>;

/**
 * Every field except the id can be changed. Omitted fields keep their value. `dst`, `misfire` and `retry` are merged
 * field by field; `slo` is replaced as a whole.
 */
export const SchedulePatch = ScheduleInput.omit({ id: true })
  .partial()
  .meta({ id: 'SchedulePatch', examples: [{ rule: { cron: '0 10 * * 1-5' }, retry: { maxAttempts: 5 } }] });
export type SchedulePatch = z.infer<typeof SchedulePatch>;
