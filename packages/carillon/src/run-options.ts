import type { DeclaredSchedule, HandlerDefinition } from '@carillon/worker/define';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

export interface RunOptions {
  /**
   * The Postgres to use, such as `postgres://user:password@host/database`. Default: an embedded one, for development.
   */
  connectionString?: string | undefined;
  /** A pool of your own program, used instead of `connectionString`. It stays open when Carillon stops. */
  pool?: Pool | undefined;
  /**
   * The Redis to use, or `none` to run without Redis. Default: an embedded one, for development and for a single
   * process.
   */
  redisUrl?: string | undefined;
  /** The folder of the embedded servers and of the local keys (default `.carillon`). */
  home?: string | undefined;
  /**
   * The handlers that this process runs. The process does not claim runs of other handlers. It claims runs whose target
   * is no handler, such as a webhook, in any case.
   */
  handlers?: readonly HandlerDefinition[] | undefined;
  /** Schedules that are created or updated at the start. Their handlers need not be listed in `handlers`. */
  schedules?: readonly DeclaredSchedule[] | undefined;
  /** Whether this process claims and delivers runs (default true). */
  worker?: boolean | undefined;
  /** Whether to listen for HTTP, with the dashboard at `/` (default false). A port of 0 takes any free one. */
  api?: boolean | { host?: string | undefined; port?: number | undefined } | undefined;
  /**
   * The path at which `plugin` or `handle` mounts the API in your own server, such as `/scheduler` (default: the root).
   */
  mountPath?: string | undefined;
  /** A signal that stops everything when it is aborted. */
  signal?: AbortSignal | undefined;
  /** A pino logger (default: warnings and errors to standard output). */
  logger?: Logger | undefined;
  /** The Postgres schema of Carillon's tables (default `carillon`). */
  schema?: string | undefined;
  /** The first admin API key, at least 24 characters. Default: generated and kept in `home` if Postgres is embedded. */
  adminKey?: string | undefined;
  /**
   * The key that encrypts secrets: 32 bytes in base64. Default: generated and kept in `home` if Postgres is embedded.
   */
  encryptionKey?: string | undefined;
  /** Any other setting of the API and the worker, by the name of its environment variable. */
  settings?: Readonly<Record<string, string>> | undefined;
}

/**
 * Stands for the URL of Postgres if a pool is given. The configuration requires a URL, but nothing connects to this
 * one.
 */
const POOL_ADDRESS = 'postgres://given-pool/';

/** Converts the options to the environment variables that the API and the worker read. */
export function toEnvironment(
  options: RunOptions,
  servers: { databaseUrl: string | undefined; redisUrl: string; isEmbedded: boolean },
  keys: { adminKey: string | undefined; encryptionKey: string | undefined },
): Record<string, string> {
  const { host, port } = typeof options.api === 'object' ? options.api : {};
  const variables: Record<string, string | undefined> = {
    ALLOW_PRIVATE_TARGETS: String(servers.isEmbedded),
    ...options.settings,
    DATABASE_URL: servers.databaseUrl ?? POOL_ADDRESS,
    REDIS_URL: servers.redisUrl,
    DATABASE_SCHEMA: options.schema,
    CARILLON_ADMIN_KEY: keys.adminKey,
    CARILLON_ENCRYPTION_KEY: keys.encryptionKey,
    ...(host === undefined ? {} : { HOST: host }),
    ...(port === undefined ? {} : { PORT: String(port) }),
  };
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
