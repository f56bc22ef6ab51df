import { z } from 'zod';
import { Instant, ScheduleKey } from './fields.js';
import { NullableInstant } from './list.js';
import { RUN_ORIGINS, RUN_STATUSES } from './run.js';
import { Rule } from './schedule.js';
import { SloAnswer } from './slo.js';
import { Target } from './target.js';

const Duration = z.string().meta({ format: 'duration', examples: ['PT15S'] });

export const SCHEDULE_STATUSES = ['active', 'paused', 'finished', 'cancelled'] as const;

/** A schedule as the API shows it: the definition with all defaults filled in, and its state. */
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
    exclusions: z
      .array(z.string())
      .meta({ description: 'The excluded dates, and the names of all calendars.' }),
    calendars: z.array(z.string()).meta({ description: 'The calendars among the exclusions.' }),
    onExcluded: z.enum(['skip', 'next', 'previous']),
    businessDays: z.array(z.int()),
    misfire: z.object({ policy: z.enum(['once', 'all', 'skip']), grace: Duration, limit: z.int() }),
    overlap: z.enum(['allow', 'skip', 'queue', 'cancel']),
    maxConcurrentRuns: z.int().nullable(),
    dependsOn: z.object({ schedule: z.string(), within: Duration }).nullable(),
    retry: z.object({ maxAttempts: z.int(), baseDelay: Duration, maxDelay: Duration, jitter: z.boolean() }),
    timeout: Duration,
    pauseAfterFailures: z.int().nullable(),
    onSuccess: z.string().nullable(),
    onFailure: z.string().nullable(),
    slo: SloAnswer.nullable().meta({
      description: 'The objectives. A heartbeat without objectives of its own must succeed every time.',
    }),
    target: Target,
    payload: z.unknown(),
    status: z.enum(SCHEDULE_STATUSES),
    version: z.int().meta({
      description:
        'The number of the current version, which is also the ETag. It begins with 1 and grows with each edit, pause and resume, and with a cancel.',
    }),
    nextRunAt: NullableInstant,
    lastRunAt: NullableInstant,
    lastEnqueuedAt: NullableInstant.meta({ description: 'The instant at which the last run was claimed.' }),
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

/** The outcome of one of the latest runs. A list of schedules has the latest runs of each schedule. */
export const RecentRun = z
  .object({
    runId: z.string(),
    at: Instant.meta({ description: 'The occurrence.' }),
    origin: z.enum(RUN_ORIGINS),
    status: z.enum(RUN_STATUSES),
    reasonCode: z.string().nullable(),
  })
  .meta({ id: 'RecentRun' });

export const ListedSchedule = Schedule.extend({
  text: z
    .string()
    .optional()
    .meta({
      description: 'The rule in words. It is present only with `include=recent`.',
      examples: ['at 02:30 every day, Berlin time'],
    }),
  recent: z
    .array(RecentRun)
    .optional()
    .meta({ description: 'The latest 30 runs, newest first. They are present only with `include=recent`.' }),
}).meta({ id: 'ListedSchedule' });

const Occurrences = z.array(Instant);

/** A definition of a schedule: the current one, or one that an edit has replaced. */
export const ScheduleVersion = Schedule.omit({
  id: true,
  status: true,
  nextRunAt: true,
  lastRunAt: true,
  lastEnqueuedAt: true,
  runsTotal: true,
  pause: true,
  createdAt: true,
  updatedAt: true,
})
  .extend({
    definedAt: Instant,
    definedBy: z.string().meta({ description: 'The name of the key that made this definition.' }),
    supersededAt: NullableInstant.meta({
      description: 'The instant at which the next definition took effect; null for the current definition.',
    }),
    next: Occurrences.meta({ description: 'The first five occurrences after `definedAt`.' }),
    nextBefore: Occurrences.nullable().meta({
      description:
        'The occurrences that the previous definition would have named instead; null for the first definition.',
    }),
  })
  .meta({ id: 'ScheduleVersion' });

const Warnings = z
  .array(z.string())
  .meta({ description: 'Notes on settings that are valid but may not be intended.' });
const RunIds = z
  .array(z.string())
  .meta({ description: 'Runs that were in flight at the time of the change. They are still delivered.' });

/** The responses of operations on a single schedule: the schedule after the change, with warnings and affected runs. */
export const CreatedSchedule = Schedule.extend({ warnings: Warnings }).meta({ id: 'CreatedSchedule' });
export const EditedSchedule = Schedule.extend({ warnings: Warnings, inFlight: RunIds }).meta({
  id: 'EditedSchedule',
});
export const CancelledSchedule = Schedule.extend({
  inFlight: RunIds,
  purged: z.boolean().meta({ description: 'True if the schedule was removed with its history.' }),
}).meta({ id: 'CancelledSchedule' });
export const TriggeredSchedule = Schedule.extend({ runId: z.string() }).meta({ id: 'TriggeredSchedule' });
export const SkippedSchedule = Schedule.extend({ skipped: Instant }).meta({ id: 'SkippedSchedule' });
export const BackfilledSchedule = Schedule.extend({ backfilled: z.int() }).meta({ id: 'BackfilledSchedule' });
