import { fileURLToPath } from 'node:url';
import { migrate, openDatabase } from '@carillon/db';
import { connectProducer, QUEUES, type RedisClient } from '@carillon/queue';
import {
  ADMIN_KEY,
  eventually,
  type OwnServers,
  Pgbouncer,
  Processes,
  type ProcessOptions,
  poolerSettings,
  TcpProxy,
  type TestApi,
  type TestProcess,
  USES_PGBOUNCER,
} from '@carillon/testkit';
import { Client } from './client.js';
import { Receiver } from './receiver.js';

/**
 * Short intervals, so that a recovery takes seconds. A lease is still so long that a worker on a busy machine does not
 * lose it by accident.
 */
export const CLOCKS = { sweepMs: 1_000, leaseMs: 4_000, horizonMs: 12_000 } as const;
export const PROJECTS = ['alpha', 'beta'] as const;
const WORKERS = 3;
const PROJECT_LIMITS = { handlers: ['neighbour', 'poison', 'in-turn'] };
const HANDLERS = fileURLToPath(new URL('poisoned-handlers.mjs', import.meta.url));

interface Proxies {
  /** The proxy between the workers and Postgres. */
  postgres: TcpProxy;
  /** The proxy between the API and Postgres. */
  apiPostgres: TcpProxy;
  redis: TcpProxy;
}

export interface InstallationOptions {
  /** The name of the installation's database, and the prefix of its keys in Redis. */
  name: string;
  /** A Redis of several servers (Sentinel or Cluster). There is no proxy in front of these servers. */
  redis?: { url: string; prefix: string } | undefined;
  /** Further settings of the installation's programs, which may depend on the URL of its database. */
  env?: (databaseUrl: string) => Record<string, string>;
}

/**
 * All of Carillon as real processes, with a Postgres and a Redis of its own. The connections of the processes to these
 * servers go through proxies that can make the network fail.
 */
export class Installation {
  workers: TestProcess[] = [];
  api!: TestApi;
  clients!: Record<(typeof PROJECTS)[number], Client>;
  readonly processes: Processes;
  readonly admin = new Client(() => this.api.url, 'default', ADMIN_KEY);
  readonly #crashes: TestProcess[] = [];
  /** The workers that have ended and were replaced by others. */
  readonly #ended: TestProcess[] = [];

  private constructor(
    readonly servers: OwnServers,
    readonly databaseUrl: string,
    readonly prefix: string,
    readonly proxies: Proxies,
    readonly receiver: Receiver,
    /** Connections of the checker, which go straight to Postgres and not through a proxy. */
    readonly pool: ReturnType<typeof openDatabase>,
    readonly redis: RedisClient,
    private readonly pgbouncer: Pgbouncer | null,
    redisUrl: string,
    env: Record<string, string>,
  ) {
    this.processes = new Processes(() => ({
      DATABASE_URL: proxies.postgres.url(databaseUrl),
      REDIS_URL: redisUrl,
      REDIS_PREFIX: prefix,
      SWEEP_INTERVAL_MS: String(CLOCKS.sweepMs),
      LEASE_MS: String(CLOCKS.leaseMs),
      ARM_HORIZON_MS: String(CLOCKS.horizonMs),
      RETRY_BASE_DELAY_SECONDS: '0.5',
      CIRCUIT_OPEN_MS: '500',
      RUN_RETENTION_DAYS: '30',
      CARILLON_HANDLERS: HANDLERS,
      ...env,
    }));
  }

  /**
   * Starts the servers and proxies but none of Carillon's programs, so that the caller can choose which of them run.
   */
  static async prepare(
    servers: OwnServers,
    { name, env, redis: several }: InstallationOptions,
  ): Promise<Installation> {
    const { databaseUrl, redisUrl } = servers;
    const url = Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).toString();
    const admin = openDatabase({ url: databaseUrl, max: 1, applicationName: 'faults', onError: () => {} });
    await admin.query(`create database ${name}`);
    await admin.end();
    const proxies = {
      postgres: await TcpProxy.before(databaseUrl),
      apiPostgres: await TcpProxy.before(databaseUrl),
      redis: await TcpProxy.before(redisUrl),
    };
    const pool = openDatabase({ url, max: 5, applicationName: 'faults', onError: () => {} });
    const redis = connectProducer(several?.url ?? redisUrl, () => {});
    await eventually(() => redis.status === 'ready');
    const receiver = await Receiver.listen(PROJECTS);
    const pgbouncer = USES_PGBOUNCER ? await Pgbouncer.start(databaseUrl) : null;
    if (pgbouncer) for (const proxy of [proxies.postgres, proxies.apiPostgres]) proxy.leadTo(pgbouncer.url);
    const settings = { ...(pgbouncer ? poolerSettings(url) : {}), ...env?.(url) };
    return new Installation(
      servers,
      url,
      several?.prefix ?? name,
      proxies,
      receiver,
      pool,
      redis,
      pgbouncer,
      several?.url ?? proxies.redis.url(redisUrl),
      settings,
    );
  }

  static async start(servers: OwnServers, options: InstallationOptions): Promise<Installation> {
    const installation = await Installation.prepare(servers, options);
    await installation.startAll();
    return installation;
  }

  async startAll(): Promise<void> {
    await migrate(this.databaseUrl);
    await this.startApi();
    await Promise.all(Array.from({ length: WORKERS }, (_, index) => this.startWorker(index)));
  }

  async startApi(options: ProcessOptions = {}): Promise<void> {
    const env = { DATABASE_URL: this.proxies.apiPostgres.url(this.databaseUrl), ...options.env };
    this.api = await this.processes.api({ ...options, env });
    if (this.clients) return;
    const { admin } = this;
    const clients = await Promise.all(
      PROJECTS.map(async (project) => {
        await admin.ask('POST', '/v1/projects', {
          id: project,
          limits: PROJECT_LIMITS,
        });
        const scopes = ['admin'];
        const { body } = await admin.ask('POST', '/v1/keys', { name: project, scopes, project });
        return [project, new Client(() => this.api.url, project, body.key)];
      }),
    );
    this.clients = Object.fromEntries(clients);
  }

  /** The log lines of all workers, including killed ones. */
  workerLines(): Record<string, unknown>[] {
    return [...this.#ended, ...this.workers].flatMap(({ lines }) => lines);
  }

  async startWorker(index: number, options: ProcessOptions = {}): Promise<TestProcess> {
    const worker = await this.processes.worker(options);
    const before = this.workers[index];
    if (before) this.#ended.push(before);
    this.workers[index] = worker;
    return worker;
  }

  /** Ends the faults of all proxies, and starts every program again that is not running. */
  async restore(): Promise<void> {
    for (const proxy of Object.values(this.proxies)) proxy.pass();
    // An API that is crashing right now still counts as running, so wait until it has ended.
    const isAlive = await fetch(`${this.api.url}/health/live`).catch(() => null);
    if (!isAlive) await eventually(() => !this.api.isRunning);
    this.#crashes.push(...[this.api, ...this.workers].filter(({ hasCrashed }) => hasCrashed));
    if (!this.api.isRunning) await this.startApi();
    await Promise.all(
      Array.from({ length: WORKERS }, (_, index) =>
        this.workers[index]?.isRunning ? null : this.startWorker(index),
      ),
    );
  }

  /** Returns the programs that have crashed since the last call, each with the end of its log. */
  crashes(): string[] {
    return this.#crashes
      .splice(0)
      .map(({ lines }) => `crashed: ${JSON.stringify(lines.slice(-8)).slice(0, 2_000)}`);
  }

  /** Returns the worker that has a run of this schedule in flight. */
  async holderOf(key: string): Promise<TestProcess> {
    const { rows } = await this.pool.query<{ pid: number }>(
      `select w.pid from carillon.runs r
       join carillon.schedules s on s.id = r.schedule_id join carillon.workers w on w.id = r.worker_id
       where s.key = $1 and r.status = 'running'`,
      [key],
    );
    const holder = this.workers.find(({ pid }) => pid === rows[0]?.pid);
    if (!holder) throw new Error(`no worker has a run of ${key} in flight`);
    return holder;
  }

  /**
   * Sets the maximum number of requests per minute and waits until the API applies it. The API caches the limits of
   * keys for up to a second.
   */
  async limitRequests(project: (typeof PROJECTS)[number], requestsPerMinute: number): Promise<void> {
    const { status } = await this.admin.ask('PATCH', `/v1/projects/${project}`, {
      limits: { ...PROJECT_LIMITS, requestsPerMinute },
    });
    if (status !== 200) throw new Error(`the limit could not be set: ${status}`);
    await eventually(async () => {
      const asked = await this.clients[project].ask('GET', '/v1/schedules?limit=1');
      return asked.limit === requestsPerMinute && asked.status === 200;
    });
  }

  get bellsKey(): string {
    return `${this.prefix}:${QUEUES.bells}`;
  }

  async stop(): Promise<void> {
    await this.processes.endAll();
    this.receiver.close();
    this.redis.disconnect();
    await this.pool.end();
    for (const proxy of Object.values(this.proxies)) await proxy.close();
    await this.pgbouncer?.stop();
  }
}
