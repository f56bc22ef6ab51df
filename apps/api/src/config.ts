import { EncryptionKey, LocalTime } from '@carillon/shared';
import { z } from 'zod';

const Environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  REDIS_PREFIX: z.string().min(1).default('bull'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  CARILLON_ADMIN_KEY: z.string().min(8).optional(),
  CARILLON_ENCRYPTION_KEY: EncryptionKey.optional(),
  ALLOW_PRIVATE_TARGETS: z.stringbool().default(false),
  ARM_HORIZON_MS: z.coerce.number().int().min(1_000).default(60_000),
  RETRY_MAX_ATTEMPTS: z.coerce.number().int().min(1).max(100).default(3),
  RETRY_BASE_DELAY_SECONDS: z.coerce.number().min(0.001).max(86_400).default(60),
  /** When people are greeted, on the clock of their own zone. */
  BIRTHDAY_LOCAL_TIME: LocalTime.default('09:00'),
  /** For each key, on each replica; 0 for no limit. */
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(0).default(600_000),
});

export type Config = z.infer<typeof Environment>;

/** Reads the environment; what is wrong with it is said in one line each, by name. */
export function readConfig(environment: NodeJS.ProcessEnv): Config | { problems: string[] } {
  const parsed = Environment.safeParse(environment);
  if (parsed.success) return parsed.data;
  return { problems: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) };
}
