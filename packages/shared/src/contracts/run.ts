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
export const ATTEMPT_OUTCOMES = [
  'open',
  'succeeded',
  'failed',
  'unknown',
  'cancelled',
  'handed_back',
] as const;
export const RUN_ORIGINS = ['rule', 'trigger', 'backfill'] as const;

export const RunId = z
  .string()
  .max(64)
  .meta({ examples: ['run_r2s_mi1k8qo0'] });

/** The record of an occurrence, a manual run (`trigger`) or a backfill that was claimed, queued or skipped. */
export const Run = z
  .object({
    id: RunId,
    scheduleId: z.string(),
    status: z.enum(RUN_STATUSES),
    origin: z.enum(RUN_ORIGINS),
    occurrenceAt: Instant.meta({ description: 'The instant that the rule named.' }),
    dueAt: Instant.meta({
      description:
        'The instant at which the run is due: the occurrence plus jitter, or the time to which it was rescheduled.',
    }),
    enqueuedAt: Instant,
    claimedAt: NullableInstant,
    claimedBy: z.int().nullable().meta({ description: 'The worker of the latest attempt.' }),
    finishedAt: NullableInstant,
    durationMs: z.int().nullable(),
    latenessMs: z.int().nullable().meta({
      description:
        'Milliseconds from when the run was due to the first byte of its first attempt. A retry, a deferral or a replay does not change it. Null if nothing was sent yet.',
    }),
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

/** One attempt at delivering a run, with its result. */
export const Attempt = z
  .object({
    number: z.int(),
    key: z.string(),
    startedAt: NullableInstant,
    finishedAt: NullableInstant,
    outcome: z.enum(ATTEMPT_OUTCOMES),
    httpStatus: z.int().nullable(),
    durationMs: z.int().nullable(),
    errorCode: z.string().nullable(),
    error: z.string().nullable(),
    response: z
      .string()
      .nullable()
      .meta({ description: 'The first 16 KiB of the response of the receiver.' }),
    result: z.unknown().meta({
      description: 'The value that a handler returned, up to 16 KiB of JSON; null if there is none.',
    }),
    resultError: z.string().nullable().meta({
      description: 'The reason why the value that a handler returned was not kept; null otherwise.',
    }),
    externalId: z.string().nullable(),
    workerId: z.int().nullable(),
  })
  .meta({ id: 'Attempt' });

export const LEDGER_STEPS = [
  'named',
  'due',
  'rescheduled',
  'triggered',
  'backfilled',
  'queued',
  'claimed',
  'deferred',
  'attempt',
  'paused',
  'resumed',
  'edited',
  'replayed',
  'reported',
  'restored',
  'skipped',
  'cancelled',
  'succeeded',
  'failed',
] as const;

/** One step in the history of an occurrence. */
export const LedgerStep = z
  .object({
    at: Instant,
    until: NullableInstant.meta({
      description: 'The instant at which an attempt or a deferral ended; null for a step without a duration.',
    }),
    kind: z.enum(LEDGER_STEPS),
    text: z
      .string()
      .meta({ examples: ['deferred 9 times by an open circuit (https://example.com keeps failing)'] }),
    actor: z.string().nullable().meta({
      description:
        'The name of the key or of the component that caused the step; null if there is none, or if it is unknown.',
    }),
    attempt: z
      .int()
      .nullable()
      .meta({ description: 'The number of the attempt, or of the attempt that was deferred.' }),
    outcome: z
      .enum(ATTEMPT_OUTCOMES)
      .nullable()
      .meta({ description: 'The outcome of the attempt; null for a step of another kind.' }),
    reasonCode: z
      .string()
      .nullable()
      .meta({ examples: ['circuit_open', 'http_503'] }),
    count: z.int().meta({
      description:
        'Number of deferrals or of skipped occurrences that the step stands for; 1 for any other step.',
    }),
    version: z.int().nullable().meta({
      description: 'The version of the schedule that named the occurrence, or the version that an edit made.',
    }),
  })
  .meta({ id: 'LedgerStep' });

export const RunWithAttempts = Run.extend({
  why: z.string().meta({ description: 'One sentence that says what became of the run, and why.' }),
  story: z.array(LedgerStep).meta({ description: 'The history of the run, as a list of steps.' }),
  attempts: z.array(Attempt),
}).meta({ id: 'RunWithAttempts' });
