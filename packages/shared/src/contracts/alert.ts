import { z } from 'zod';
import { REDACTED } from '../webhook/redact.js';
import { SECRET_RULE, secretBytes } from '../webhook/secret.js';
import { Instant, ScheduleKey, WebUrl } from './fields.js';
import { InstantInput, NullableInstant } from './list.js';

export const CHANNEL_TYPES = ['webhook', 'slack', 'email', 'pagerduty'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

export const BREACHES = ['start', 'end', 'duration', 'success_rate'] as const;

export const ChannelKey = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected 1 to 64 lower-case letters, digits or "-"')
  .meta({ id: 'AlertChannelId', examples: ['on-call'] });

/** The URL of PagerDuty's events API, version 2. */
export const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';
const shown = { description: `The value is stored encrypted and shown as "${REDACTED}".` };
const isSecret = (secret: string) => secretBytes(secret) !== null;

const common = {
  id: ChannelKey,
  enabled: z
    .boolean()
    .optional()
    .describe('If false, the channel is kept, but nothing is sent to it. Default: true.'),
};
const webhook = {
  type: z.literal('webhook'),
  url: WebUrl,
  secret: z.string().refine(isSecret, { error: SECRET_RULE }).nullable().optional().meta({
    description: 'The secret that signs the messages. Default: the secret of the project. It is never shown.',
  }),
};
const slack = { type: z.literal('slack'), url: WebUrl.meta(shown) };
const email = {
  type: z.literal('email'),
  to: z
    .array(z.email({ error: 'expected an e-mail address' }).max(254))
    .min(1)
    .max(20)
    .meta({ examples: [['on-call@example.com']] }),
};
const pagerduty = {
  type: z.literal('pagerduty'),
  routingKey: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/, 'expected the integration key of a PagerDuty service (events API v2)')
    .meta(shown),
  url: WebUrl.optional().describe(`The URL of the events API. Default: ${PAGERDUTY_URL}`),
};

/** A channel that alerts are sent to. */
export const AlertChannelInput = z
  .discriminatedUnion('type', [
    z.strictObject({ ...common, ...webhook }),
    z.strictObject({ ...common, ...slack }),
    z.strictObject({ ...common, ...email }),
    z.strictObject({ ...common, ...pagerduty }),
  ])
  .meta({
    id: 'AlertChannelRequest',
    examples: [{ id: 'on-call', type: 'webhook', url: 'https://example.com/alerts' }],
  });
export type AlertChannelInput = z.infer<typeof AlertChannelInput>;

/** An edit of a channel. Omitted fields keep their value, and the type cannot change. */
export const AlertChannelPatch = z
  .strictObject({
    enabled: z.boolean().optional(),
    url: WebUrl.optional(),
    secret: webhook.secret,
    to: email.to.optional(),
    routingKey: pagerduty.routingKey.optional(),
  })
  .meta({ id: 'AlertChannelPatch', examples: [{ enabled: false }] });
export type AlertChannelPatch = z.infer<typeof AlertChannelPatch>;

export const AlertMessage = z
  .object({
    at: Instant,
    status: z.enum(['pending', 'sent', 'failed']),
    tries: z.int(),
    sentAt: NullableInstant,
    nextTryAt: NullableInstant,
    error: z.string().nullable(),
  })
  .meta({ id: 'AlertMessage' });

/** A channel as the API shows it, without its secrets. */
export const AlertChannel = z
  .object({
    id: ChannelKey,
    type: z.enum(CHANNEL_TYPES),
    enabled: z.boolean(),
    url: z.string().nullable(),
    to: z.array(z.string()).nullable(),
    hasSecret: z.boolean().meta({ description: 'True if the channel has a secret of its own.' }),
    lastMessage: AlertMessage.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'AlertChannel' });

/** The record of an objective that a schedule misses or has missed. */
export const Alert = z
  .object({
    id: z.string(),
    scheduleId: ScheduleKey,
    scheduleName: z.string().nullable(),
    kind: z.enum(BREACHES).meta({ description: 'The objective that is or was breached.' }),
    state: z.enum(['open', 'resolved']),
    occurrenceAt: Instant.meta({ description: 'The occurrence that began the breach.' }),
    sentence: z.string().meta({
      description: 'One sentence that says what was expected, what happened instead, and since when.',
    }),
    why: z.string().nullable().meta({
      description:
        'One sentence that says what became of this occurrence, as known now. Null if the schedule was removed.',
    }),
    openedAt: Instant,
    resolvedAt: NullableInstant,
    resolution: z.string().nullable(),
    silenced: z
      .boolean()
      .meta({ description: 'True if a maintenance window kept the breach from being reported.' }),
  })
  .meta({ id: 'Alert' });

export const MaintenanceInput = z
  .strictObject({
    schedule: ScheduleKey.nullable()
      .optional()
      .describe('The schedule whose alerts are silenced. Default: all schedules of the project.'),
    startAt: InstantInput.optional().describe('The beginning of the window. Default: now.'),
    endAt: InstantInput,
    note: z.string().max(256).nullable().optional(),
  })
  .meta({
    id: 'MaintenanceRequest',
    examples: [{ endAt: '2026-11-16T09:00:00Z', note: 'database upgrade' }],
  });

export const Maintenance = z
  .object({
    id: z.string(),
    schedule: z.string().nullable(),
    startAt: Instant,
    endAt: Instant,
    note: z.string().nullable(),
    createdBy: z.string(),
  })
  .meta({ id: 'Maintenance' });

/** A ping of a job that runs elsewhere. */
export const Ping = z
  .object({
    at: Instant,
    kind: z.enum(['start', 'success', 'fail', 'log']),
    body: z.string().nullable().meta({ description: 'The first 10 KB of the body.' }),
    occurrenceAt: NullableInstant.meta({
      description:
        'The occurrence that ended with this ping, or the occurrence of the run that this ping reports on; null if there is none.',
    }),
  })
  .meta({ id: 'Ping' });

/** How a job that runs elsewhere reports to its schedule. */
export const Heartbeat = z
  .object({
    url: z
      .string()
      .meta({ description: 'The URL that reports a success. It needs no key, so keep it secret.' }),
    startUrl: z.string(),
    failUrl: z.string(),
    pings: z.array(Ping).meta({ description: 'The latest 20 pings, newest first.' }),
  })
  .meta({ id: 'Heartbeat' });
