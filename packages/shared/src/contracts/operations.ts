import { z } from 'zod';
import { HEALTH_REASON_CODES, REDIS_STATES } from '../health.js';
import { HOLD_CODES } from '../lost-time.js';
import { Instant } from './fields.js';
import { NullableInstant } from './list.js';

export const WorkerReplica = z
  .object({
    id: z.int(),
    host: z.string(),
    pid: z.int(),
    status: z.enum(['alive', 'lost', 'stopped']),
    inFlight: z.int(),
    clockOffsetMs: z.int().meta({
      description:
        "Milliseconds by which the clock of this worker is ahead of Postgres's; negative if it is behind.",
    }),
    tzdata: z
      .string()
      .nullable()
      .meta({ description: 'The version of the time zone data of the worker.', examples: ['2026a'] }),
    startedAt: Instant,
    heartbeatAt: Instant,
    stoppedAt: NullableInstant,
  })
  .meta({ id: 'Worker' });

const Quantiles = z.object({ count: z.int(), p50Ms: z.number().nullable(), p99Ms: z.number().nullable() });

const Rate = z.object({
  count: z.int(),
  perMinute: z.number().meta({ description: 'The count divided by the length of the window.' }),
});

const SystemWindow = z
  .object({
    from: Instant.meta({ description: 'The beginning of the window. The window ends now.' }),
    lateness: Quantiles.meta({
      description:
        'Time from when a run was due until the first byte of its first attempt, counted once per run. The values are accurate to a bucket of the histogram.',
    }),
    waits: z
      .object({
        backlog: Quantiles.meta({ description: 'Time from when a run was due until a worker claimed it.' }),
        queue: Quantiles.meta({
          description:
            'Time that a run waited for its turn: as a trigger, as a backfill, or because earlier runs of its schedule were open.',
        }),
        deferral: Quantiles.meta({
          description: 'Time that a run waited for an open circuit breaker or a limit.',
        }),
      })
      .meta({ description: 'Time that runs waited before their first attempt, by the reason for the wait.' }),
    deferrals: Rate.meta({
      description: 'Deliveries that were deferred. One run may be deferred many times.',
    }),
    failed: Rate.meta({ description: 'Runs that failed for good.' }),
    drift: z.object({ overdue: Rate, missingBells: Rate, expiredLeases: Rate }).meta({
      description:
        'Differences that sweeps, the regular passes of workers over Postgres, found and repaired: runs that were overdue, wake-ups (bells) that Redis had lost, and runs whose worker had lost its lease.',
    }),
  })
  .meta({ id: 'SystemWindow' });

const HealthReason = z
  .object({
    code: z.enum(HEALTH_REASON_CODES),
    message: z.string().meta({ description: 'The message names the problem and says what to do about it.' }),
  })
  .meta({ id: 'HealthReason' });

const HEALTH = {
  status: z.enum(['ok', 'degraded', 'down']).meta({
    description:
      '`degraded`: runs are delivered, but some are late or held back. `down`: nothing can be read or run.',
  }),
  reasons: z
    .array(HealthReason)
    .meta({ description: 'The reasons why the status is not `ok`; empty if the status is `ok`.' }),
};

const Redis = z.enum(REDIS_STATES).meta({
  description:
    '`up`: Redis accepts writes. A replica, or a server that refuses the password, is not `up`. `off`: this installation runs without Redis.',
});

/**
 * Figures on the health of the installation, and on the drift (overdue runs, missing wake-ups, expired leases) that
 * sweeps repaired.
 */
export const System = z
  .object({
    ...HEALTH,
    now: Instant.meta({ description: 'The time of Postgres’s clock, which decides what is due.' }),
    clockOffsetMs: z.number().meta({
      description: 'Milliseconds by which the clock of Postgres is ahead of the clock of this replica.',
    }),
    redis: Redis,
    workers: z.object({ alive: z.int(), lost: z.int(), inFlight: z.int() }),
    hold: z
      .object({
        code: z.enum(HOLD_CODES),
        since: Instant,
        reason: z.string(),
        lostFrom: Instant.meta({
          description:
            'The beginning of the lost time: the latest heartbeat of a worker that Postgres still has.',
        }),
      })
      .nullable()
      .meta({
        description:
          'The reason why workers claim no runs until an operator runs `carillon restore`; null if workers claim runs. Everything else works meanwhile.',
      }),
    backlog: z.object({ schedules: z.int(), runs: z.int(), oldestDueAt: NullableInstant }),
    sweep: z.object({ lastAt: NullableInstant, ageMs: z.int().nullable() }),
    bells: z.object({
      armed: z.int().nullable().meta({
        description:
          'Number of wake-ups (bells) that Redis holds now; null without Redis or while Redis is unreachable.',
      }),
    }),
    circuits: z.object({ open: z.int() }).meta({
      description: 'Circuit breakers that are open and make deliveries wait, over all projects and workers.',
    }),
    windows: z.object({ minute: SystemWindow, hour: SystemWindow, day: SystemWindow }).meta({
      description:
        'Figures of the last minute, hour and day. Each window begins at a whole minute, so the first is between one and two minutes long.',
    }),
    tzdata: z
      .object({
        version: z.string().nullable().meta({
          description: 'The version of the time zone data with which all coming occurrences were computed.',
        }),
        since: NullableInstant,
        next: z.string().nullable().meta({
          description:
            'The version with which coming occurrences are being computed again; null while none are being computed.',
        }),
        workers: z.array(z.string()).meta({ description: 'The versions of the live workers.' }),
      })
      .meta({ description: 'Time zone data.' }),
  })
  .meta({ id: 'System' });

export const Liveness = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });

export const Readiness = z
  .object({
    ...HEALTH,
    postgres: z.enum(['up', 'down']),
    redis: Redis,
  })
  .meta({ id: 'Readiness' });
