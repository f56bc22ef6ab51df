import { z } from 'zod';
import { Instant } from './fields.js';
import { NullableInstant } from './list.js';

export const RUN_STATUSES = [
  'queued',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
] as const;
export const RUN_ORIGINS = ['rule', 'trigger', 'backfill'] as const;

export const RunId = z
  .string()
  .max(64)
  .meta({ examples: ['run_r2s_mi1k8qo0'] });

/** One occurrence, claimed or accounted for. */
export const Run = z
  .object({
    id: RunId,
    scheduleId: z.string(),
    status: z.enum(RUN_STATUSES),
    origin: z.enum(RUN_ORIGINS),
    occurrenceAt: Instant.meta({ description: 'The instant that the rule named.' }),
    dueAt: Instant.meta({ description: 'The occurrence, plus jitter, or wherever a reschedule put it.' }),
    enqueuedAt: Instant,
    claimedAt: NullableInstant,
    claimedBy: z.int().nullable().meta({ description: 'The worker of the latest attempt.' }),
    finishedAt: NullableInstant,
    durationMs: z.int().nullable(),
    latenessMs: z
      .int()
      .nullable()
      .meta({ description: 'How long after it was due the first attempt began.' }),
    scheduleVersion: z.int(),
    attemptCount: z.int(),
    nextRetryAt: NullableInstant,
    lastError: z.string().nullable(),
    externalId: z.string().nullable(),
    reasonCode: z.string().nullable(),
    reason: z.string().nullable(),
    progress: z.unknown(),
    replays: z.int(),
  })
  .meta({ id: 'Run' });

/** One try at delivering a run, with what came back. */
export const Attempt = z
  .object({
    number: z.int(),
    key: z.string(),
    startedAt: NullableInstant,
    finishedAt: NullableInstant,
    outcome: z.enum(['open', 'succeeded', 'failed', 'unknown', 'cancelled', 'handed_back']),
    httpStatus: z.int().nullable(),
    durationMs: z.int().nullable(),
    errorCode: z.string().nullable(),
    error: z.string().nullable(),
    response: z.string().nullable(),
    externalId: z.string().nullable(),
    workerId: z.int().nullable(),
  })
  .meta({ id: 'Attempt' });

export const RunWithAttempts = Run.extend({ attempts: z.array(Attempt) }).meta({ id: 'RunWithAttempts' });
