import { z } from 'zod';
import { Instant } from './fields.js';
import { InstantInput, listOf, NullableInstant } from './list.js';
import { RUN_ORIGINS, RUN_STATUSES, RunId } from './run.js';
import { timingFields } from './schedule.js';

export const Occurrence = z
  .object({
    at: Instant,
    local: z.string().meta({ examples: ['2027-03-29T09:00:00+02:00'] }),
    dueAt: Instant.meta({ description: 'Later than `at` where the schedule has jitter or was rescheduled.' }),
    remark: z.string().nullable().meta({ description: 'What a change of clocks does to it, in words.' }),
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
    warnings: z.array(z.string()),
  })
  .meta({ id: 'RulePreview' });

/** What became of one occurrence, or of a stretch of them that all went the same way. */
export const LedgerEntry = z
  .object({
    at: Instant,
    local: z.string(),
    until: NullableInstant.meta({ description: 'The last occurrence of a stretch; null for a single one.' }),
    count: z.int().meta({ description: 'How many occurrences this entry stands for.' }),
    origin: z.enum(RUN_ORIGINS),
    status: z.enum([...RUN_STATUSES, 'upcoming', 'due', 'paused', 'unknown']),
    why: z.string().meta({ examples: ['ran 12 ms late', 'skipped: paused by ops at …, note: incident 7'] }),
    runId: RunId.nullable(),
    version: z.int().meta({ description: 'The definition that held.' }),
    remark: z.string().nullable(),
  })
  .meta({ id: 'LedgerEntry' });

export const Forecast = z
  .object({
    from: Instant,
    to: Instant,
    total: z.int(),
    complete: z
      .boolean()
      .meta({ description: 'False where there was more to count than one answer may cost.' }),
    minutes: z
      .array(z.object({ at: Instant, fires: z.int() }))
      .meta({ description: 'Minutes without a fire are left out.' }),
  })
  .meta({ id: 'Forecast' });
