import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { StartError } from './start-error.js';

const wholeNumber = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error, abort: true })
    .transform(Number)
    .refine((value) => value >= least && value <= most, { error });
};

const serverUrl = (protocols: string[], example: string) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `must be an address like ${example}`,
  });

const environment = z.object({
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, { error: 'must be an address or a host name' })
    .default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  DATABASE_URL: serverUrl(
    ['postgres:', 'postgresql:'],
    'postgres://user:password@host:5432/carillon',
  ).optional(),
  // Only the scheme is checked here, because the text may list several hosts and is then no valid URL. The apps parse
  // it.
  REDIS_URL: z
    .string()
    .regex(/^(rediss?(-sentinel|-cluster)?:\/\/.+|none)$/, {
      error: 'must be an address like redis://host:6379, or none',
    })
    .optional(),
  CARILLON_HOME: z.string().default('.carillon'),
  CARILLON_ADMIN_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{24,512}$/, { error: 'must be 24 or more visible characters' })
    .optional(),
  CARILLON_ENCRYPTION_KEY: z
    .string()
    .refine((value) => Buffer.from(value, 'base64').length === 32, { error: 'must be 32 bytes in base64' })
    .optional(),
  CARILLON_REDIS: z.enum(['native', 'wasm'], { error: 'must be native or wasm' }).optional(),
  WORKERS: wholeNumber(0, 64).default(2),
  WORKER_PORT: wholeNumber(0, 65_471).optional(),
  ALLOW_PRIVATE_TARGETS: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  PATH: z.string().default(''),
});

export type Config = ReturnType<typeof readConfig>;

/** Reads the settings of `npm start`. A relative CARILLON_HOME is resolved against `root`. */
export function readConfig(root: string, variables: NodeJS.ProcessEnv = process.env) {
  // A line without a value in a .env file makes an empty variable. It counts as not set.
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const problems = new Map(parsed.error.issues.map((issue) => [String(issue.path[0]), issue.message]));
    throw new StartError([...problems].map(([name, message]) => `${name} ${message}`).join('; '));
  }
  const env = parsed.data;
  const embedded = env.DATABASE_URL === undefined && (env.REDIS_URL ?? 'none') === 'none';
  return {
    host: env.HOST,
    port: env.PORT,
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    redis: env.CARILLON_REDIS,
    home: isAbsolute(env.CARILLON_HOME) ? env.CARILLON_HOME : join(root, env.CARILLON_HOME),
    adminKey: env.CARILLON_ADMIN_KEY,
    encryptionKey: env.CARILLON_ENCRYPTION_KEY,
    workers: env.WORKERS,
    /** The port of the first worker's health probes. Each further worker uses the next port. */
    workerPort: env.WORKER_PORT,
    // With embedded servers, the installation counts as local, and its webhooks may call programs on the same machine.
    // Without them, webhooks must not reach addresses of the machine's own network.
    allowPrivateTargets: env.ALLOW_PRIVATE_TARGETS ?? String(embedded),
    // Handlers are reloaded when their code changes only during development. Embedded servers are a sign of
    // development.
    watch: given.CARILLON_WATCH ?? String(embedded),
    searchPath: env.PATH,
    /** The whole environment, because the apps read further variables from it. */
    variables: given,
  };
}
