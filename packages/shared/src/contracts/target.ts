import { z } from 'zod';
import { DAY_MS, SECOND_MS } from '../durations.js';
import { headersProblem, webhookProblems } from '../webhook/header-rules.js';
import { duration, refuseWith, WebUrl } from './fields.js';

export const WEBHOOK_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'] as const;

const WebhookTarget = z
  .strictObject({
    type: z.literal('webhook'),
    url: WebUrl,
    method: z
      .enum(WEBHOOK_METHODS)
      .optional()
      .meta({ description: 'The HTTP method. Default: POST. A GET request has no body.' }),
    body: z.enum(['envelope', 'payload']).optional().meta({
      description:
        '`envelope` (default): the body is a `WebhookDelivery` with the payload in it. `payload`: the body is the payload alone, as JSON; a payload that is a string is sent as plain text if `headers` set a `content-type` other than JSON.',
    }),
    headers: z.record(z.string(), z.string()).superRefine(refuseWith(headersProblem)).default({}).meta({
      description:
        'Headers that are sent with each delivery. Their values are stored encrypted and shown as "•••". An edit that sends "•••" back keeps the stored value.',
    }),
  })
  .superRefine((target, context) => {
    for (const { field, message } of webhookProblems(target))
      context.addIssue({ code: 'custom', message, path: [field], input: target });
  });

/**
 * Two queues of Carillon that can't be targets: other programs send requests to one, and refused requests go to the
 * other.
 */
const REQUEST_QUEUES = ['schedule-requests', 'schedule-rejected'];
const OWN_PREFIX = 'carillon-';

export const QueueName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'expected 1 to 128 letters, digits, "_", "." or "-"')
  .superRefine(
    refuseWith((name) =>
      REQUEST_QUEUES.includes(name) || name.startsWith(OWN_PREFIX)
        ? `"${name}" is one of Carillon’s own queues; choose another name`
        : null,
    ),
  );

const QueueTarget = z.strictObject({
  type: z.literal('queue'),
  queue: QueueName,
});

const HandlerTarget = z.strictObject({ type: z.literal('handler'), name: z.string().min(1).max(128) });

const CallTarget = z.strictObject({
  type: z.literal('call'),
  number: z.string().regex(/^\+[1-9]\d{6,14}$/, 'expected a phone number in E.164 form, such as +4930123456'),
  assistantId: z.string().max(128).nullable().default(null),
  phoneNumberId: z.string().max(128).nullable().default(null),
});

const HeartbeatTarget = z
  .strictObject({
    type: z.literal('heartbeat'),
    grace: duration({ minMs: SECOND_MS, maxMs: 30 * DAY_MS, example: 'PT30M' })
      .default('PT5M')
      .describe('Maximum time after an occurrence for the job to report its success.'),
    startGrace: duration({ minMs: SECOND_MS, maxMs: 30 * DAY_MS, example: 'PT1M' })
      .nullable()
      .default(null)
      .describe(
        'Maximum time after an occurrence for the job to report its start. If it is null, the job need not report its start.',
      ),
  })
  .describe(
    'A heartbeat delivers nothing. Each occurrence succeeds if a job elsewhere pings the URL of the schedule in time.',
  );

export const Target = z
  .discriminatedUnion('type', [WebhookTarget, QueueTarget, HandlerTarget, CallTarget, HeartbeatTarget])
  .meta({ id: 'Target' });
