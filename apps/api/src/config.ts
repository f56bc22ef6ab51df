import { redisVariables, resolveRedis } from '@carillon/queue';
import { DatabaseSchema, EncryptionKey, LocalTime } from '@carillon/shared';
import { z } from 'zod';

const MigrationEnvironment = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /** A direct URL of Postgres, for migrations. Needed if DATABASE_URL leads to a connection pooler. */
  DATABASE_DIRECT_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_SCHEMA: DatabaseSchema.default('carillon'),
});

const Environment = MigrationEnvironment.extend({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  /**
   * Set to false if the command `migrate` is run before each deployment. The API then only checks that the migrations
   * were run.
   */
  MIGRATE_ON_START: z.stringbool().default(true),
  /** Set to false if the connection pooler does not keep prepared statements. */
  DATABASE_PREPARED_STATEMENTS: z.stringbool().default(true),
  ...redisVariables,
  /** The address of an OpenTelemetry collector (OTLP over HTTP). Traces are recorded only if it is set. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default('carillon-api'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  CARILLON_ADMIN_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{24,512}$/, 'expected at least 24 random visible ASCII characters')
    .optional(),
  /** `npm start` sets it to true if it has generated the admin key itself. */
  CARILLON_ADMIN_KEY_IS_GENERATED: z.stringbool().default(false),
  CARILLON_ENCRYPTION_KEY: EncryptionKey.optional(),
  ALLOW_PRIVATE_TARGETS: z.stringbool().default(false),
  ARM_HORIZON_MS: z.coerce.number().int().min(1_000).default(60_000),
  RETRY_MAX_ATTEMPTS: z.coerce.number().int().min(1).max(100).default(3),
  RETRY_BASE_DELAY_SECONDS: z.coerce.number().min(0.001).max(86_400).default(60),
  /** Maximum timeout of a webhook or an outgoing call. */
  MAX_OUTGOING_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(86_400).default(900),
  /** Local time of birthday messages, in the time zone of the user. */
  BIRTHDAY_LOCAL_TIME: LocalTime.default('09:00'),
  /** Maximum number of requests per minute of each project, on all replicas together; 0 for no limit. */
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(0).default(600_000),
  /**
   * Maximum number of requests without a valid key, per minute and client address, on all replicas together; 0 for no
   * limit.
   */
  AUTH_FAILURES_PER_MINUTE: z.coerce.number().int().min(0).default(120),
  /** Maximum number of pings per minute for one schedule, on all replicas together. Jobs that run elsewhere send them. */
  PINGS_PER_MINUTE: z.coerce.number().int().min(1).default(60),
  /** Proxies whose X-Forwarded-For is trusted: true for all, or a list of addresses and ranges. */
  TRUST_PROXY: z
    .string()
    .default('false')
    .transform((text) =>
      text === 'true' ? true : text === 'false' ? false : text.split(',').map((part) => part.trim()),
    ),
  /** Maximum time to receive a whole request. */
  REQUEST_TIMEOUT_MS: z.coerce.number().int().min(1_000).default(30_000),
  MAX_CONNECTIONS: z.coerce.number().int().min(10).default(10_000),
  /** How long requests are still answered after SIGTERM. Meanwhile /health/ready says that this replica is stopping. */
  STOP_DELAY_MS: z.coerce.number().int().min(0).max(60_000).default(0),
  /** The path of the dashboard, for an installation that serves another page at `/`. */
  DASHBOARD_BASE_PATH: z
    .string()
    .regex(/^\/([\w.-]+\/)*([\w.-]+)?$/, 'expected a path such as /carillon')
    .default('/')
    .transform((path) => (path.endsWith('/') ? path : `${path}/`)),
  /** Maximum number of open event streams of one project, and of one API key, on each replica. */
  EVENT_STREAMS_PER_PROJECT: z.coerce.number().int().min(0).default(20),
  EVENT_STREAMS_PER_KEY: z.coerce.number().int().min(0).default(10),
}).transform(resolveRedis);

export type Config = z.infer<typeof Environment>;

type Problems = { problems: string[] };

/** Parses the environment. Each problem is one line that names the variable. */
export const readConfig = (environment: NodeJS.ProcessEnv): Config | Problems =>
  read(Environment, environment);

/** Parses the environment of the command `migrate`, which needs nothing but Postgres. */
export const readMigrationConfig = (
  environment: NodeJS.ProcessEnv,
): z.infer<typeof MigrationEnvironment> | Problems => read(MigrationEnvironment, environment);

function read<T>(schema: z.ZodType<T>, environment: NodeJS.ProcessEnv): T | Problems {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  return { problems: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) };
}
