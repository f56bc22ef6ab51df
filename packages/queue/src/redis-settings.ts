import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { NO_REDIS, parseRedisUrl } from './redis-url.js';

/** Everything that a connection to Redis needs. */
export interface RedisServer {
  url: string;
  /** PEM texts, for servers whose certificate has a private CA or that ask for a certificate of the client. */
  tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined };
  /** The login for the Sentinels, which is separate from the login for the Redis servers. */
  sentinel?: { username?: string | undefined; password?: string | undefined };
}

/**
 * The environment variables of Redis, for the configuration of each app. The configuration must end with `resolveRedis`.
 */
export const redisVariables = {
  REDIS_URL: z.string().superRefine((url, context) => {
    if (url === NO_REDIS) return;
    const place = parseRedisUrl(url);
    if ('problem' in place) context.addIssue({ code: 'custom', message: place.problem });
  }),
  /** The prefix of BullMQ's keys. Default: `bull`, and `{bull}` on a cluster. */
  REDIS_PREFIX: z.string().min(1).optional(),
  /** The file of the certificate authority that has signed the certificates of Redis, as PEM. */
  REDIS_CA_FILE: z.string().min(1).optional(),
  /** The certificate and key of this client, for a Redis that asks for one (`tls-auth-clients yes`). */
  REDIS_CERT_FILE: z.string().min(1).optional(),
  REDIS_KEY_FILE: z.string().min(1).optional(),
  REDIS_SENTINEL_USERNAME: z.string().min(1).optional(),
  REDIS_SENTINEL_PASSWORD: z.string().min(1).optional(),
  /**
   * With `economy`, an idle Redis gets a sixth of the commands that it gets with `punctual`. A run that was scheduled
   * only seconds before it is due may then start 100 ms late.
   */
  REDIS_IDLE: z.enum(['punctual', 'economy']).default('punctual'),
};

type RedisVariables = z.infer<z.ZodObject<typeof redisVariables>>;

/** A hash tag: Redis Cluster places all keys with the same text in braces on one node. */
const HASH_TAG = /\{[^}]+\}/;

/**
 * The last step of parsing a configuration. Fills in the default prefix, reads the certificate files, and adds `redis`,
 * which is null without Redis. On a cluster the prefix must hold a hash tag, because each of BullMQ's scripts uses
 * several keys.
 */
export function resolveRedis<T extends RedisVariables>(
  variables: T,
  context: z.core.$RefinementCtx,
): T & { REDIS_PREFIX: string; redis: RedisServer | null } {
  const { REDIS_URL: url, REDIS_CA_FILE, REDIS_CERT_FILE, REDIS_KEY_FILE } = variables;
  const refuse = (variable: string, message: string) =>
    context.issues.push({ code: 'custom', path: [variable], message, input: undefined });
  const place = url === NO_REDIS ? null : parseRedisUrl(url);
  const isCluster = place !== null && 'kind' in place && place.kind === 'cluster';
  const REDIS_PREFIX = variables.REDIS_PREFIX ?? (isCluster ? '{bull}' : 'bull');
  if (isCluster && !HASH_TAG.test(REDIS_PREFIX))
    refuse('REDIS_PREFIX', `must be in braces on a cluster, such as {${REDIS_PREFIX}}`);
  const read = (variable: string, path: string | undefined) => {
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      refuse(variable, `the file can't be read (${(error as NodeJS.ErrnoException).code})`);
      return undefined;
    }
  };
  const tls = {
    ca: read('REDIS_CA_FILE', REDIS_CA_FILE),
    cert: read('REDIS_CERT_FILE', REDIS_CERT_FILE),
    key: read('REDIS_KEY_FILE', REDIS_KEY_FILE),
  };
  const sentinel = {
    username: variables.REDIS_SENTINEL_USERNAME,
    password: variables.REDIS_SENTINEL_PASSWORD,
  };
  return { ...variables, REDIS_PREFIX, redis: place === null ? null : { url, tls, sentinel } };
}
