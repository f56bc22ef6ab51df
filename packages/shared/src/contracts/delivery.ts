import { z } from 'zod';
import { BREACHES } from './alert.js';
import { Instant } from './fields.js';
import { NullableInstant } from './list.js';
import { RunId } from './run.js';

/** The body of a webhook, unless its target chooses `body: "payload"` or the method GET. */
export const WebhookDelivery = z
  .object({
    type: z.literal('schedule.due'),
    scheduleId: z.string(),
    runId: RunId.meta({
      description: 'The id of the run. It is the same for every attempt, so deduplicate by it.',
    }),
    occurrenceAt: Instant.meta({ description: 'The instant that the rule named.' }),
    firedAt: Instant.meta({ description: 'The instant at which this attempt began.' }),
    attempt: z.int().meta({ description: 'The number of the attempt. The first attempt has the number 1.' }),
    payload: z
      .unknown()
      .meta({ description: 'The payload of the schedule, unchanged; null if it has none.' }),
  })
  .meta({ id: 'WebhookDelivery' });

/** The body of a receipt: the message to `onSuccess` or `onFailure` when a run has ended. */
export const WebhookReceipt = z
  .object({
    type: z.enum(['run.succeeded', 'run.failed']),
    scheduleId: z.string(),
    runId: RunId,
    occurrenceAt: Instant,
    finishedAt: Instant,
    attempt: z.int(),
    httpStatus: z.int().nullable(),
    externalId: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'The error of the run; null for `run.succeeded`.' }),
  })
  .meta({ id: 'WebhookReceipt' });

const ReportedBreach = z
  .object({
    id: z
      .string()
      .meta({ description: 'The id of the breach. The message of its recovery has the same id.' }),
    scheduleId: z.string(),
    scheduleName: z.string().nullable(),
    kind: z.enum(BREACHES),
    occurrenceAt: Instant,
    openedAt: Instant,
    resolvedAt: NullableInstant,
    sentence: z.string().meta({
      description: 'One sentence that says what was expected, what happened instead, and since when.',
    }),
    why: z.string().nullable().meta({
      description:
        'One sentence that says what became of this occurrence, as known when the message was composed. Null if the schedule was removed.',
    }),
    resolution: z.string().nullable(),
    link: z.string().meta({ description: 'The URL of the page of the schedule in the dashboard.' }),
  })
  .meta({ id: 'ReportedBreach' });

/** The body of a message to an alert channel of the type webhook. */
export const WebhookAlert = z
  .object({
    type: z.enum(['alert', 'alert.test']).meta({
      description: '`alert.test` for a test message, which lists no breaches, and `alert` for any other.',
    }),
    project: z.string(),
    summary: z.string().meta({ examples: ['Carillon: Nightly export needs attention'] }),
    opened: z.array(ReportedBreach).meta({ description: 'Breaches that have begun.' }),
    resolved: z.array(ReportedBreach).meta({ description: 'Breaches that have ended.' }),
  })
  .meta({ id: 'WebhookAlert' });
