import { EncryptionKey, parseTiming } from '@carillon/shared';
import { z } from 'zod';

const milliseconds = (least: number) => z.coerce.number().int().min(least);

const Environment = z
  .object({
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    REDIS_URL: z.url({ protocol: /^rediss?$/ }),
    REDIS_PREFIX: z.string().min(1).default('bull'),
    LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    SWEEP_INTERVAL_MS: milliseconds(100).default(5_000),
    ARM_HORIZON_MS: milliseconds(1_000).default(60_000),
    LEASE_MS: milliseconds(500).default(15_000),
    STOP_DEADLINE_MS: milliseconds(0).default(10_000),
    SCHEDULER_BATCH_SIZE: z.coerce.number().int().min(1).max(5_000).default(1_000),
    WORKER_CONCURRENCY: z.coerce.number().int().min(1).default(2_000),
    /** How long history is kept, by whole months; for ever where it is not set. */
    RUN_RETENTION_DAYS: z.coerce.number().int().min(1).nullable().default(null),
    RETRY_MAX_ATTEMPTS: z.coerce.number().int().min(1).max(100).default(3),
    RETRY_BASE_DELAY_SECONDS: z.coerce.number().min(0.001).max(86_400).default(60),
    /** When to remind of tasks that are due soon, in UTC. */
    TASK_SCAN_CRON: z
      .string()
      .refine((cron) => parseTiming({ rule: { cron } }, { anchorAt: 0 }).ok, 'expected a cron pattern')
      .default('0 * * * *'),
    CARILLON_HANDLERS: z.string().optional(),
    CARILLON_ENCRYPTION_KEY: EncryptionKey.optional(),
    ALLOW_PRIVATE_TARGETS: z.stringbool().default(false),
    ORIGIN_CONCURRENCY: z.coerce.number().int().min(1).default(100),
    CIRCUIT_OPEN_MS: milliseconds(1).default(10_000),
    VAPI_BASE_URL: z.url({ protocol: /^https?$/ }).default('https://api.vapi.ai'),
    VAPI_API_KEY: z.string().min(1).optional(),
    VAPI_ASSISTANT_ID: z.string().min(1).optional(),
    VAPI_PHONE_NUMBER_ID: z.string().min(1).optional(),
  })
  .refine((env) => env.ARM_HORIZON_MS >= 3 * env.SWEEP_INTERVAL_MS, {
    path: ['ARM_HORIZON_MS'],
    error: 'must be at least three times SWEEP_INTERVAL_MS, so that a sweep may fail and nothing is late',
  });

export type Config = z.infer<typeof Environment>;

/** Reads the environment; what is wrong with it is said in one line each, by name. */
export function readConfig(environment: NodeJS.ProcessEnv): Config | { problems: string[] } {
  const parsed = Environment.safeParse(environment);
  if (parsed.success) return parsed.data;
  return { problems: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) };
}
