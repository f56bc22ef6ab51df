import { z } from 'zod';
import { Instant, ScheduleKey } from './fields.js';
import { InstantInput, listOf, NullableInstant } from './list.js';
import { LedgerStep, RUN_ORIGINS, RUN_STATUSES, RunId } from './run.js';
import { Rule, timingFields } from './schedule.js';

export const Occurrence = z
  .object({
    at: Instant,
    local: z.string().meta({ examples: ['2027-03-29T09:00:00+02:00'] }),
    dueAt: Instant.meta({
      description:
        'The instant at which the occurrence is due. It differs from `at` if the schedule has jitter or the occurrence was rescheduled.',
    }),
    remark: z.string().nullable().meta({
      description:
        'A note if a clock change (DST) affects this occurrence, or if it was moved from an excluded day.',
    }),
  })
  .meta({ id: 'Occurrence' });

export const Occurrences = listOf(Occurrence).extend({ text: z.string() }).meta({ id: 'Occurrences' });

export const RulePreviewInput = z
  .strictObject({
    ...timingFields,
    from: InstantInput.optional(),
    limit: z.int().min(1).max(1_000).default(10),
  })
  .meta({
    id: 'RulePreviewRequest',
    examples: [
      { rule: { cron: '30 2 * * *' }, timezone: 'Europe/Berlin', from: '2027-03-27T00:00:00Z', limit: 3 },
    ],
  });

export const RulePreview = z
  .object({
    text: z.string().meta({ examples: ['at 02:30 every day, Berlin time'] }),
    occurrences: z.array(z.object({ at: Instant, local: z.string(), remark: z.string().nullable() })),
    excluded: z.array(z.object({ at: Instant, local: z.string() })).meta({
      description:
        'The instants, up to the last listed occurrence, that are left out because their day is excluded.',
    }),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'RulePreview' });

/** A schedule with an occurrence within a year at a local time that daylight saving time skips or repeats. */
export const RuleLint = z
  .object({
    schedule: ScheduleKey,
    name: z.string().nullable(),
    timezone: z.string(),
    text: z.string(),
    changes: z.array(
      z.object({
        kind: z.enum(['gap', 'overlap']).meta({
          description: '`gap`: the local time does not exist. `overlap`: the local time occurs twice.',
        }),
        at: Instant.meta({
          description:
            'The instant at which the occurrence fires. If it does not fire, the instant at which the clocks change.',
        }),
        local: z.string(),
        fires: z.boolean(),
        effect: z.string().meta({ examples: ['clocks go forward: 02:30 does not exist, fires at 03:00'] }),
      }),
    ),
  })
  .meta({ id: 'RuleLint' });

export const RuleLints = listOf(RuleLint)
  .extend({
    lookedAt: z
      .int()
      .meta({ description: 'Number of schedules with a time zone other than UTC that this page checked.' }),
  })
  .meta({ id: 'RuleLints' });

/** The outcome of one occurrence, or of several occurrences in a row with the same outcome. */
export const LedgerEntry = z
  .object({
    at: Instant,
    local: z.string(),
    until: NullableInstant.meta({
      description:
        'The last occurrence that this entry stands for; null if it stands for a single occurrence.',
    }),
    count: z.int().meta({ description: 'Number of occurrences that this entry stands for.' }),
    origin: z.enum(RUN_ORIGINS),
    status: z.enum([...RUN_STATUSES, 'upcoming', 'due', 'paused', 'missing']).meta({
      description:
        'The status of the run, or of an occurrence that has no run. `missing`: the schedule had this occurrence by its rule, but there is neither a run nor a record (gap) of why it did not run.',
    }),
    why: z.string().meta({ examples: ['ran 12 ms late', 'skipped: paused by ops at …, note: incident 7'] }),
    story: z.array(LedgerStep).meta({ description: 'The history of the occurrence, as a list of steps.' }),
    runId: RunId.nullable(),
    version: z.int().meta({ description: 'The version of the definition that was in effect at that time.' }),
    remark: z.string().nullable(),
  })
  .meta({ id: 'LedgerEntry' });

/** The differences between the occurrences that the rules of schedules yield and the runs that exist. */
export const OccurrenceAudit = z
  .object({
    from: Instant,
    to: Instant,
    schedules: z.int().meta({ description: 'Number of schedules that this page compared.' }),
    occurrences: z.int().meta({ description: 'Number of occurrences that this page compared.' }),
    items: z.array(
      z
        .object({
          scheduleId: ScheduleKey,
          kind: z.enum(['missing', 'overdue', 'unnamed']),
          from: Instant,
          to: Instant,
          count: z.int().meta({ description: 'Number of consecutive occurrences that differ.' }),
          version: z.int(),
          message: z.string(),
        })
        .meta({ id: 'OccurrenceDifference' }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'OccurrenceAudit' });

export const Forecast = z
  .object({
    from: Instant,
    to: Instant,
    total: z.int(),
    computedAt: Instant.meta({
      description:
        'The instant at which the fires were counted. The answer does not include later changes of schedules.',
    }),
    complete: z.boolean().meta({
      description: 'False while fires are still being counted, or if there are too many to count.',
    }),
    minutes: z
      .array(z.object({ at: Instant, fires: z.int() }))
      .meta({ description: 'Minutes without an occurrence are left out.' }),
  })
  .meta({ id: 'Forecast' });

/** The schedules that fire in one minute of the forecast. */
export const ForecastMinute = z
  .object({
    at: Instant.meta({ description: 'The beginning of the minute.' }),
    fires: z.int().meta({ description: 'Number of fires that the forecast expects in this minute.' }),
    complete: z.boolean().meta({
      description: 'False while the forecast is being computed, or if `schedules` may lack some of them.',
    }),
    schedules: z
      .array(
        z.object({
          id: ScheduleKey,
          name: z.string().nullable(),
          rule: Rule,
          targetType: z.enum(['webhook', 'queue', 'handler', 'call', 'heartbeat']),
          nextRunAt: Instant.meta({
            description: 'The next fire of the schedule, which may come before this minute.',
          }),
        }),
      )
      .meta({ description: 'Up to 100 schedules that fire in this minute.' }),
  })
  .meta({ id: 'ForecastMinute' });
