import { z } from 'zod';
import { Instant, ScheduleKey } from './fields.js';
import { NullableInstant } from './list.js';
import { Rule } from './schedule.js';
import { Target } from './target.js';

const Duration = z.string().meta({ format: 'duration', examples: ['PT15S'] });

export const SCHEDULE_STATUSES = ['active', 'paused', 'finished', 'cancelled'] as const;

/** A schedule as the API shows it: the definition with nothing left open, and how it stands. */
export const Schedule = z
  .object({
    id: ScheduleKey,
    name: z.string().nullable(),
    tags: z.array(z.string()),
    rule: Rule,
    timezone: z.string(),
    startAt: NullableInstant,
    endAt: NullableInstant,
    maxRuns: z.int().nullable(),
    jitter: Duration.nullable(),
    dst: z.object({ gap: z.enum(['shift', 'skip']), overlap: z.enum(['first', 'second', 'both']) }),
    leapDay: z.enum(['feb28', 'mar1', 'skip']),
    exclusions: z.array(z.string()),
    misfire: z.object({ policy: z.enum(['once', 'all', 'skip']), grace: Duration, limit: z.int() }),
    overlap: z.enum(['allow', 'skip', 'queue', 'cancel']),
    maxConcurrentRuns: z.int().nullable(),
    dependsOn: z.object({ schedule: z.string(), within: Duration }).nullable(),
    retry: z.object({ maxAttempts: z.int(), baseDelay: Duration, maxDelay: Duration, jitter: z.boolean() }),
    timeout: Duration,
    pauseAfterFailures: z.int().nullable(),
    onSuccess: z.string().nullable(),
    onFailure: z.string().nullable(),
    target: Target,
    payload: z.unknown(),
    status: z.enum(SCHEDULE_STATUSES),
    version: z.int().meta({ description: 'Counts edits, pauses, resumes and a cancel; also the ETag.' }),
    nextRunAt: NullableInstant,
    lastRunAt: NullableInstant,
    lastEnqueuedAt: NullableInstant.meta({ description: 'When the last run was claimed.' }),
    runsTotal: z.int(),
    pause: z
      .object({
        at: NullableInstant,
        until: NullableInstant,
        by: z.string().nullable(),
        note: z.string().nullable(),
      })
      .nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof Schedule>;

const Warnings = z.array(z.string()).meta({ description: 'What is allowed, but may not be what was meant.' });
const RunIds = z.array(z.string()).meta({ description: 'Runs in flight, which go on to their end.' });

/** The answers of single operations: the schedule as it now is, and what else there is to say. */
export const CreatedSchedule = Schedule.extend({ warnings: Warnings }).meta({ id: 'CreatedSchedule' });
export const EditedSchedule = Schedule.extend({ warnings: Warnings, inFlight: RunIds }).meta({
  id: 'EditedSchedule',
});
export const CancelledSchedule = Schedule.extend({ inFlight: RunIds }).meta({ id: 'CancelledSchedule' });
export const TriggeredSchedule = Schedule.extend({ runId: z.string() }).meta({ id: 'TriggeredSchedule' });
export const SkippedSchedule = Schedule.extend({ skipped: Instant }).meta({ id: 'SkippedSchedule' });
export const BackfilledSchedule = Schedule.extend({ backfilled: z.int() }).meta({ id: 'BackfilledSchedule' });
