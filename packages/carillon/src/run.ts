import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { type ApiConfig, prepareApi, readConfig as readApiConfig, type UnstartedApi } from '@carillon/api';
import { Carillon } from '@carillon/client';
import { migrate, verifyPooler } from '@carillon/db';
import { localAdminKey, localEncryptionKey, startServers } from '@carillon/embedded';
import { Registry, readConfig as readWorkerConfig, startWorker } from '@carillon/worker';
import type { FastifyPluginAsync } from 'fastify';
import { type Logger, pino } from 'pino';
import { readPath } from './config.js';
import { fetchInProcess, mountPlugin, passOn } from './in-process.js';
import { type RunOptions, toEnvironment } from './run-options.js';

export type { RunOptions };

/** A Carillon that runs inside this process. */
export interface RunningCarillon extends AsyncDisposable {
  /** A client of this installation that makes its calls inside the process, as an admin of the default project. */
  readonly client: Carillon;
  /** The address of the API and the dashboard; null if the API does not listen for HTTP. */
  readonly url: string | null;
  /** The admin key for the dashboard and for other programs; null if none is set. */
  readonly adminKey: string | null;
  /**
   * Mounts the API and the dashboard in your own Fastify server, at `mountPath`: `server.register(carillon.plugin)`.
   */
  readonly plugin: FastifyPluginAsync;
  /**
   * Answers a request to the API, for HTTP servers other than Fastify. The path of the request must begin with
   * `mountPath`.
   */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Stops claiming runs and waits for the deliveries in flight. A delivery that does not end in time is aborted, and
   * its run is handed back, so that another worker can claim it. Then closes everything that `run` has opened.
   */
  stop(): Promise<void>;
}

/**
 * The part of a worker that a test needs: `runAllDue` makes the worker look for all due work, and resolves when no run is
 * in flight.
 */
export interface DrivenWorker {
  runAllDue(): Promise<void>;
}

/** Starts Carillon in this process. Only tests with a clock of their own pass `localNow` and use the worker. */
export async function start(
  options: RunOptions,
  { localNow }: { localNow?: () => number } = {},
): Promise<{ carillon: RunningCarillon; worker: DrivenWorker | null }> {
  const { signal, mountPath = '', logger: log = pino({ level: 'warn' }) } = options;
  const closing = new ClosingSteps(log);
  try {
    signal?.throwIfAborted();
    const { environment, adminKey, server, isEmbedded } = await openServers(options, closing, log);
    signal?.throwIfAborted();
    const apiConfig = accepted(readApiConfig(environment));
    await prepareDatabase(server, apiConfig, { mayBePooled: !isEmbedded });
    const registry = new Registry({ handlers: options.handlers ?? [], schedules: options.schedules ?? [] });
    const ownKey = `ck_${randomBytes(32).toString('base64url')}`;
    const { payloadProblem } = registry;
    const { pool } = options;
    const api = await prepareApi(apiConfig, log, { pool, payloadProblem, ownKey, mountPath, localNow });
    closing.add(() => api.stop());
    await api.app.ready();
    const worker =
      options.worker === false
        ? null
        : await startWorker(accepted(readWorkerConfig(environment)), log, { registry, pool, localNow });
    if (worker) closing.add(() => worker.stop());
    const url = options.api ? await api.app.listen({ host: apiConfig.HOST, port: apiConfig.PORT }) : null;
    signal?.throwIfAborted();
    const stop = () => closing.run();
    signal?.addEventListener('abort', () => void stop(), { once: true });
    return { carillon: describe({ api, ownKey, url, adminKey, mountPath, stop }), worker };
  } catch (error) {
    await closing.run();
    throw error;
  }
}

function describe({
  api: { app },
  ownKey,
  url,
  adminKey,
  mountPath,
  stop,
}: Pick<RunningCarillon, 'url' | 'adminKey' | 'stop'> & {
  api: UnstartedApi;
  ownKey: string;
  mountPath: string;
}): RunningCarillon {
  return {
    client: new Carillon({ url: 'http://carillon.invalid', key: ownKey, fetch: fetchInProcess(app) }),
    url,
    adminKey,
    plugin: mountPlugin(app, mountPath),
    handle(request, response) {
      passOn(app, request, response, mountPath);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

type Server = Parameters<typeof migrate>[0];

interface OpenServers {
  /** The settings for the API and the worker. */
  environment: Record<string, string>;
  adminKey: string | null;
  server: Server;
  isEmbedded: boolean;
}

/** Starts an embedded Postgres or Redis for each server that the options do not name. */
async function openServers(options: RunOptions, closing: ClosingSteps, log: Logger): Promise<OpenServers> {
  const { pool, connectionString, redisUrl, settings = {} } = options;
  const home = resolve(options.home ?? '.carillon');
  const isEmbedded = pool === undefined && connectionString === undefined;
  let databaseUrl = connectionString;
  let redis = redisUrl;
  if (isEmbedded || redis === undefined) {
    const servers = await startServers({
      home,
      // `startServers` starts no server whose URL is given. If a pool is given, this URL is only a placeholder.
      databaseUrl: pool ? 'postgres://given-pool/' : connectionString,
      redisUrl,
      redis: undefined,
      searchPath: settings.PATH ?? readPath(),
      log: { info: (line) => log.info(line), warn: (line) => log.warn(line) },
    });
    closing.add(() => servers.stop());
    if (isEmbedded) databaseUrl = servers.databaseUrl;
    redis = servers.redisUrl;
  }
  const adminKey = options.adminKey ?? (isEmbedded ? await localAdminKey(home) : undefined);
  const encryptionKey = options.encryptionKey ?? (isEmbedded ? await localEncryptionKey(home) : undefined);
  // A pool's `password` is not enumerable, so a copy of the options lacks it.
  const given = { ...pool?.options, password: pool?.options.password };
  const environment = toEnvironment(
    options,
    { databaseUrl, redisUrl: redis as string, isEmbedded },
    { adminKey, encryptionKey },
  );
  return { environment, adminKey: adminKey ?? null, server: databaseUrl ?? given, isEmbedded };
}

/**
 * Throws if Postgres is behind a connection pooler in transaction mode and a setting for such a pooler is missing,
 * because statements would fail later. Otherwise migrates the database.
 */
async function prepareDatabase(
  server: Server,
  { DATABASE_DIRECT_URL, DATABASE_PREPARED_STATEMENTS, DATABASE_SCHEMA: schema }: ApiConfig,
  { mayBePooled }: { mayBePooled: boolean },
): Promise<void> {
  if (mayBePooled)
    await verifyPooler({
      server,
      hasDirectUrl: DATABASE_DIRECT_URL !== undefined,
      usesPreparedStatements: DATABASE_PREPARED_STATEMENTS,
    });
  await migrate(DATABASE_DIRECT_URL ?? server, { schema });
}

function accepted<T extends object>(config: T | { problems: string[] }): T {
  if ('problems' in config) throw new Error(`carillon: ${config.problems.join('; ')}`);
  return config;
}

/**
 * The steps that stop Carillon, in the reverse order of the start. Each runs once, and a step that fails does not keep
 * the others from running.
 */
class ClosingSteps {
  readonly #steps: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;

  constructor(private readonly log: Logger) {}

  add(step: () => Promise<void>): void {
    this.#steps.unshift(step);
  }

  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    for (const step of this.#steps)
      await step().catch((error: unknown) => this.log.error({ err: error }, 'A step of the stop failed'));
  }
}
