import { redisVariables, resolveRedis } from '@carillon/queue';
import {
  DatabaseSchema,
  EncryptionKey,
  parseTiming,
  type RetentionDays,
  type ScheduleDefaults,
} from '@carillon/shared';
import { z } from 'zod';

const milliseconds = (least: number) => z.coerce.number().int().min(least);

const days = () => z.coerce.number().int().min(1).nullable().default(null);

const Environment = z
  .object({
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    /** A direct URL of Postgres, for migrations and for LISTEN. Needed if DATABASE_URL leads to a connection pooler. */
    DATABASE_DIRECT_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    /** Set to false if the connection pooler does not keep prepared statements. */
    DATABASE_PREPARED_STATEMENTS: z.stringbool().default(true),
    DATABASE_SCHEMA: DatabaseSchema.default('carillon'),
    /**
     * Set to false if the command `migrate` is run before each deployment. The worker then only checks that the
     * migrations were run.
     */
    MIGRATE_ON_START: z.stringbool().default(true),
    ...redisVariables,
    /** The address on which WORKER_PORT listens. */
    HOST: z.string().min(1).default('127.0.0.1'),
    /** The port of /health/live, /health/ready and /metrics. If it is not set, the worker does not serve them. */
    WORKER_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
    /** The address of an OpenTelemetry collector (OTLP over HTTP). Traces are recorded only if it is set. */
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
    OTEL_SERVICE_NAME: z.string().min(1).default('carillon-worker'),
    LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    SWEEP_INTERVAL_MS: milliseconds(100).default(5_000),
    ARM_HORIZON_MS: milliseconds(1_000).default(60_000),
    LEASE_MS: milliseconds(500).default(15_000),
    STOP_DEADLINE_MS: milliseconds(0).default(10_000),
    SCHEDULER_BATCH_SIZE: z.coerce.number().int().min(1).max(5_000).default(1_000),
    WORKER_CONCURRENCY: z.coerce.number().int().min(1).default(4_000),
    /** Maximum size of the payloads of all runs that a worker has claimed and not yet closed. */
    WORKER_PAYLOAD_MB: z.coerce.number().int().min(1).default(128),
    /**
     * Minimum number of days for which runs are kept. Runs are deleted by whole months. If this is not set, they are
     * kept for ever.
     */
    RUN_RETENTION_DAYS: days(),
    /** How long finished and cancelled schedules are kept, with their runs; for ever if this is not set. */
    SCHEDULE_RETENTION_DAYS: days(),
    /** How long the audit log is kept; for ever if this is not set. */
    AUDIT_RETENTION_DAYS: days(),
    RETRY_MAX_ATTEMPTS: z.coerce.number().int().min(1).max(100).default(3),
    RETRY_BASE_DELAY_SECONDS: z.coerce.number().min(0.001).max(86_400).default(60),
    /** The longest time-out that a schedule may set for a webhook or a phone call. */
    MAX_OUTGOING_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(86_400).default(900),
    /**
     * The cron pattern, in UTC, at which a worker looks for tasks that are due within a day and sends their reminders.
     */
    TASK_SCAN_CRON: z
      .string()
      .refine((cron) => parseTiming({ rule: { cron } }, { anchorAt: 0 }).ok, 'expected a cron pattern')
      .default('0 * * * *'),
    /** How often the occurrences of all schedules are compared with the runs that exist (the audit); 0 for never. */
    AUDIT_INTERVAL_SECONDS: z.coerce.number().int().min(0).default(3_600),
    CARILLON_HANDLERS: z.string().optional(),
    /**
     * For development: if true, the worker stops when the code of its handlers changes, and its supervisor starts a new
     * one.
     */
    CARILLON_WATCH: z.stringbool().default(false),
    CARILLON_ENCRYPTION_KEY: EncryptionKey.optional(),
    ALLOW_PRIVATE_TARGETS: z.stringbool().default(false),
    /**
     * Name servers that resolve the host names of receivers, as `address` or `address:port`. Default: those of the
     * machine.
     */
    DNS_SERVERS: z
      .string()
      .default('')
      .transform((text) => text.split(/[\s,]+/).filter((server) => server !== '')),
    ORIGIN_CONCURRENCY: z.coerce.number().int().min(1).default(100),
    CIRCUIT_OPEN_MS: milliseconds(1).default(10_000),
    /** The address of the dashboard, for the links in alerts. */
    PUBLIC_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3000'),
    /** How long an alert waits for others, so that one message reports them together. */
    ALERT_GROUPING_MS: milliseconds(0).default(5_000),
    /** The server that sends e-mail, such as smtps://user:password@smtp.example.com. */
    SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
    SMTP_FROM: z.string().min(3).default('Carillon <carillon@localhost>'),
    /**
     * The URL of an outside monitor. The workers together send it one request per interval, as long as no run is
     * overdue.
     */
    HEARTBEAT_URL: z.url({ protocol: /^https?$/ }).optional(),
    HEARTBEAT_INTERVAL_SECONDS: z.coerce.number().min(1).max(86_400).default(60),
    VAPI_BASE_URL: z.url({ protocol: /^https?$/ }).default('https://api.vapi.ai'),
    VAPI_API_KEY: z.string().min(1).optional(),
    VAPI_ASSISTANT_ID: z.string().min(1).optional(),
    VAPI_PHONE_NUMBER_ID: z.string().min(1).optional(),
  })
  .refine((env) => env.ARM_HORIZON_MS >= 3 * env.SWEEP_INTERVAL_MS, {
    path: ['ARM_HORIZON_MS'],
    error: 'must be at least three times SWEEP_INTERVAL_MS, so that no run is late if one sweep fails',
  })
  .transform(resolveRedis);

export type Config = z.infer<typeof Environment>;

/** The values that this installation uses for the fields that a schedule leaves out. */
export const scheduleDefaults = (config: Config): ScheduleDefaults => ({
  target: null,
  maxAttempts: config.RETRY_MAX_ATTEMPTS,
  baseDelayMs: config.RETRY_BASE_DELAY_SECONDS * 1_000,
  allowPrivateTargets: config.ALLOW_PRIVATE_TARGETS,
  hasQueues: config.redis !== null,
  maxOutgoingTimeoutMs: config.MAX_OUTGOING_TIMEOUT_SECONDS * 1_000,
});

/** How long history is kept in projects that set no retention of their own. */
export const retentionDays = (config: Config): RetentionDays => ({
  runs: config.RUN_RETENTION_DAYS,
  schedules: config.SCHEDULE_RETENTION_DAYS,
  audit: config.AUDIT_RETENTION_DAYS,
});

/** Reads the environment. Each problem is one line that names the variable. */
export function readConfig(environment: NodeJS.ProcessEnv): Config | { problems: string[] } {
  const parsed = Environment.safeParse(environment);
  if (parsed.success) return parsed.data;
  return { problems: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) };
}
