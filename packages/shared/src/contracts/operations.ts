import { z } from 'zod';
import { Instant } from './fields.js';
import { NullableInstant } from './list.js';

export const WorkerReplica = z
  .object({
    id: z.int(),
    host: z.string(),
    pid: z.int(),
    status: z.enum(['alive', 'lost', 'stopped']),
    inFlight: z.int(),
    startedAt: Instant,
    heartbeatAt: Instant,
    stoppedAt: NullableInstant,
  })
  .meta({ id: 'Worker' });

const Quantiles = z.object({ count: z.int(), p50Ms: z.number().nullable(), p99Ms: z.number().nullable() });

/** Drift and health in figures. */
export const System = z
  .object({
    status: z.enum(['ok', 'degraded']),
    now: Instant.meta({ description: 'By Postgres, whose clock decides what is due.' }),
    clockOffsetMs: z.number().meta({ description: 'How far Postgres is ahead of this replica.' }),
    redis: z.enum(['up', 'down']),
    workers: z.object({ alive: z.int(), lost: z.int(), inFlight: z.int() }),
    backlog: z.object({ schedules: z.int(), runs: z.int(), oldestDueAt: NullableInstant }),
    sweep: z.object({ lastAt: NullableInstant, ageMs: z.int().nullable() }),
    drift: z.object({ overdue: z.int(), missingBells: z.int(), expiredLeases: z.int() }),
    bells: z.object({
      armed: z.int().nullable().meta({ description: 'Held by Redis now; null while it is away.' }),
    }),
    lateness: Quantiles.meta({ description: 'Since the beginning, to within a bucket of the histogram.' }),
  })
  .meta({ id: 'System' });

export const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });

export const Readiness = z
  .object({
    status: z.enum(['ok', 'degraded', 'down']),
    postgres: z.enum(['up', 'down']),
    redis: z.enum(['up', 'down']),
  })
  .meta({ id: 'Readiness' });
