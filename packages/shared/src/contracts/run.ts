import { z } from 'zod';
import { Instant, ScheduleKey } from './fields.js';
import { MomentInput, NullableInstant } from './list.js';

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

/** Which failed runs to replay, and how fast. */
export const ReplayInput = z
  .strictObject({
    schedule: ScheduleKey.optional(),
    from: MomentInput.optional(),
    to: MomentInput.optional(),
    limit: z.int().min(1).max(10_000).default(1_000),
    perSecond: z.number().min(0.1).max(10_000).default(100),
  })
  .meta({
    id: 'ReplayRequest',
    examples: [{ schedule: 'invoice-42', from: '2026-11-16T00:00:00Z', perSecond: 20 }],
  });

export const ReplayAnswer = z
  .object({
    replayed: z.int(),
    hasMore: z.boolean().meta({ description: 'As many were replayed as one call may: there may be more.' }),
  })
  .meta({ id: 'ReplayAnswer' });
