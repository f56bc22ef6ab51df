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
    runId: RunId.meta({ description: 'The same for every attempt: deduplicate by it.' }),
    occurrenceAt: Instant.meta({ description: 'The instant that the rule named.' }),
    firedAt: Instant.meta({ description: 'When this attempt began.' }),
    attempt: z.int().meta({ description: 'Counts from 1.' }),
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
    error: z.string().nullable().meta({ description: 'Null for `run.succeeded`.' }),
  })
  .meta({ id: 'WebhookReceipt' });

const ReportedBreach = z
  .object({
    id: z.string().meta({ description: 'The same for a breach and its recovery.' }),
    scheduleId: z.string(),
    scheduleName: z.string().nullable(),
    kind: z.enum(BREACHES),
    occurrenceAt: Instant,
    openedAt: Instant,
    resolvedAt: NullableInstant,
    sentence: z.string().meta({ description: 'What was expected, what happened, and since when.' }),
    why: z.string().nullable().meta({
      description:
        'One sentence that says what became of this occurrence, as known when the message was composed. Null if the schedule was removed.',
    }),
    resolution: z.string().nullable(),
    link: z.string().meta({ description: 'The page of the schedule.' }),
  })
  .meta({ id: 'ReportedBreach' });

/** The body of a message to an alert channel of the type webhook. */
export const WebhookAlert = z
  .object({
    type: z
      .enum(['alert', 'alert.test'])
      .meta({ description: 'A test message, which lists nothing, is `alert.test`.' }),
    project: z.string(),
    summary: z.string().meta({ examples: ['Carillon: Nightly export needs attention'] }),
    opened: z.array(ReportedBreach).meta({ description: 'Breaches that have begun.' }),
    resolved: z.array(ReportedBreach).meta({ description: 'Breaches that have ended.' }),
  })
  .meta({ id: 'WebhookAlert' });
