import { z } from 'zod';
import { DAY_MS } from '../durations.js';
import { ScheduleFilter } from './bulk.js';
import { duration, Instant, ScheduleKey } from './fields.js';
import { MomentInput, NullableInstant } from './list.js';
import { SchedulePatch } from './schedule.js';
import { ScheduleRequest } from './template.js';

/** Maximum number of schedules in the body of a simulation request. */
export const MAX_SIMULATED_GIVEN = 1_000;
const MAX_EDITS = 100;
const MAX_OUTAGES = 20;

export const SimulationInput = z
  .strictObject({
    schedules: z
      .array(ScheduleRequest)
      .max(MAX_SIMULATED_GIVEN)
      .optional()
      .describe('Schedules to simulate, as for POST /v1/schedules. They are not saved.'),
    filter: ScheduleFilter.optional().describe(
      'Also simulates the schedules of the project that match. If both `schedules` and `filter` are omitted, all schedules of the project are simulated.',
    ),
    edits: z
      .array(
        z.strictObject({
          schedule: ScheduleKey.optional().describe('The schedule to edit. Default: all that are simulated.'),
          patch: SchedulePatch,
        }),
      )
      .max(MAX_EDITS)
      .default([])
      .describe('Edits that are applied before the simulation begins. They are not saved.'),
    outages: z
      .array(
        z
          .strictObject({
            from: MomentInput,
            to: MomentInput,
            receiver: z
              .string()
              .min(1)
              .max(2_048)
              .nullable()
              .default(null)
              .describe(
                'The receiver that is down: the origin of the URL of a webhook (such as https://example.com), queue:<name>, handler:<name>, or call or heartbeat for all targets of that type. Null: the whole engine is down.',
              ),
          })
          .refine(({ from, to }) => from < to, { error: 'expected a later instant than from', path: ['to'] }),
      )
      .max(MAX_OUTAGES)
      .default([]),
    from: MomentInput.optional().describe('The beginning. Default: now.'),
    to: MomentInput.optional().describe('The end. Default: a day after the beginning.'),
    runTime: duration({ minMs: 0, maxMs: DAY_MS, example: 'PT2S' })
      .default('PT0S')
      .describe('The duration of each run. It matters for schedules with an overlap policy.'),
    limit: z
      .int()
      .min(0)
      .max(1_000)
      .default(100)
      .describe('Maximum number of runs and of gaps in the answer.'),
  })
  .meta({
    id: 'SimulationRequest',
    examples: [
      {
        filter: { tag: 'billing' },
        edits: [{ patch: { misfire: { policy: 'all' } } }],
        outages: [{ from: '2026-11-18T08:55:00Z', to: '2026-11-18T09:25:00Z' }],
        from: '2026-11-18T08:00:00Z',
        to: '2026-11-18T12:00:00Z',
      },
    ],
  });

const Figures = z
  .object({
    schedules: z.int(),
    occurrences: z
      .int()
      .meta({ description: 'Number of occurrences that the rules name, whether they run or are skipped.' }),
    runs: z.int().meta({ description: 'Number of runs that start.' }),
    caughtUp: z.int().meta({
      description:
        'Number of runs that are claimed later than the grace of their misfire policy allows, because they are due during an outage of the engine or before the simulation began.',
    }),
    queued: z.int().meta({ description: 'Number of runs that wait for an earlier run of their schedule.' }),
    deferred: z.int().meta({ description: 'Number of runs that an open circuit breaker defers.' }),
    retried: z.int().meta({ description: 'Number of runs that take more than one attempt.' }),
    failed: z.int(),
    cancelled: z.int(),
    skipped: z.record(z.string(), z.int()).meta({
      description: 'Number of occurrences that do not run, by reason.',
      examples: [{ misfire: 12 }],
    }),
  })
  .meta({ id: 'SimulationFigures' });

export const SimulationAnswer = z
  .object({
    from: Instant,
    to: Instant,
    total: Figures,
    byMisfire: z.object({ once: Figures, all: Figures, skip: Figures }),
    byOverlap: z.object({ allow: Figures, skip: Figures, queue: Figures, cancel: Figures }),
    paused: z.int().meta({
      description: 'Schedules that are paused at the end, also those that pause because they keep failing.',
    }),
    circuitsOpened: z.int(),
    circuits: z
      .array(
        z.object({
          receiver: z.string(),
          at: Instant,
          kind: z.enum(['opened', 'half_open', 'opened_again', 'closed']),
        }),
      )
      .meta({
        description:
          'The changes of circuit breakers, in order, up to `limit`. half_open: one delivery probes the receiver. opened_again: the probe fails.',
      }),
    peak: z
      .object({
        at: Instant,
        perSecond: z.int(),
        schedules: z.array(z.object({ id: z.string(), runs: z.int() })),
      })
      .nullable()
      .meta({ description: 'The second in which most runs start, and its ten largest schedules.' }),
    advice: z
      .array(
        z.object({
          kind: z.enum(['jitter', 'catch_up']),
          at: Instant,
          perSecond: z.int(),
          schedules: z.array(z.string()).meta({ description: 'The schedules of the herd, at most 100.' }),
          scheduleCount: z.int(),
          jitter: z.string().nullable().meta({ format: 'duration' }),
          perSecondAfter: z.int().nullable(),
          text: z.string(),
        }),
      )
      .meta({ description: 'Herds: many schedules that start in one second, and what would spread them.' }),
    gaps: z.array(
      z.object({
        schedule: z.string(),
        from: Instant,
        to: Instant,
        count: z.int(),
        reasonCode: z.string(),
        reason: z.string(),
      }),
    ),
    runs: z
      .array(
        z.object({
          schedule: z.string(),
          at: Instant.meta({ description: 'The occurrence.' }),
          dueAt: Instant,
          startedAt: NullableInstant,
          endedAt: NullableInstant,
          status: z.enum(['succeeded', 'failed', 'skipped', 'cancelled', 'open']),
          reasonCode: z.string().nullable(),
          caughtUp: z.boolean(),
          queued: z.boolean(),
          attempts: z.int(),
          deferrals: z.int(),
        }),
      )
      .meta({ description: 'Runs that are not simply on time come first, then the others, up to `limit`.' }),
    steps: z.int().meta({
      description: 'The number of steps (claims, attempts and ends of runs) that the simulation took.',
    }),
    assumptions: z.array(z.string()),
  })
  .meta({ id: 'Simulation' });
