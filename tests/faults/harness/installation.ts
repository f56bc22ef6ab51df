import { migrate, openDatabase } from '@carillon/db';
import { connectProducer, QUEUES } from '@carillon/queue';
import {
  ADMIN_KEY,
  eventually,
  type OwnServers,
  Processes,
  type ProcessOptions,
  TcpProxy,
  type TestApi,
  type TestProcess,
} from '@carillon/testkit';
import type { Redis } from 'ioredis';
import { Client } from './client.js';
import { Receiver } from './receiver.js';

/** Short clocks, and yet a lease that a busy machine does not lose by accident. */
export const CLOCKS = { sweepMs: 1_000, leaseMs: 4_000, horizonMs: 12_000 } as const;
export const PROJECTS = ['alpha', 'beta'] as const;
const WORKERS = 3;

interface Proxies {
  /** The workers' way to Postgres. */
  postgres: TcpProxy;
  /** The API's. */
  apiPostgres: TcpProxy;
  redis: TcpProxy;
}

/** All of Carillon, as real processes on servers of its own, each way between them open to mischief. */
export class Installation {
  workers: TestProcess[] = [];
  api!: TestApi;
  clients!: Record<(typeof PROJECTS)[number], Client>;
  readonly processes: Processes;
  readonly admin = new Client(() => this.api.url, 'default', ADMIN_KEY);
  readonly #crashes: TestProcess[] = [];

  private constructor(
    readonly servers: OwnServers,
    readonly databaseUrl: string,
    readonly prefix: string,
    readonly proxies: Proxies,
    readonly receiver: Receiver,
    /** These two go straight to the servers: whoever checks must see clearly. */
    readonly pool: ReturnType<typeof openDatabase>,
    readonly redis: Redis,
  ) {
    this.processes = new Processes(() => ({
      DATABASE_URL: proxies.postgres.url(databaseUrl),
      REDIS_URL: proxies.redis.url(servers.redisUrl),
      REDIS_PREFIX: prefix,
      SWEEP_INTERVAL_MS: String(CLOCKS.sweepMs),
      LEASE_MS: String(CLOCKS.leaseMs),
      ARM_HORIZON_MS: String(CLOCKS.horizonMs),
      RETRY_BASE_DELAY_SECONDS: '0.5',
      CIRCUIT_OPEN_MS: '500',
    }));
  }

  /** The servers' side only; whoever calls decides which programs run on it. */
  static async prepare(servers: OwnServers, { name }: { name: string }): Promise<Installation> {
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
    const redis = connectProducer(redisUrl, () => {});
    await eventually(() => redis.status === 'ready');
    return new Installation(servers, url, name, proxies, await Receiver.listen(PROJECTS), pool, redis);
  }

  static async start(servers: OwnServers, options: { name: string }): Promise<Installation> {
    const installation = await Installation.prepare(servers, options);
    await migrate(installation.databaseUrl);
    await installation.startApi();
    await Promise.all(Array.from({ length: WORKERS }, (_, index) => installation.startWorker(index)));
    return installation;
  }

  async startApi(options: ProcessOptions = {}): Promise<void> {
    const env = { DATABASE_URL: this.proxies.apiPostgres.url(this.databaseUrl), ...options.env };
    this.api = await this.processes.api({ ...options, env });
    if (this.clients) return;
    const { admin } = this;
    const clients = await Promise.all(
      PROJECTS.map(async (project) => {
        await admin.ask('POST', '/v1/projects', { id: project });
        const scopes = ['admin'];
        const { body } = await admin.ask('POST', '/v1/keys', { name: project, scopes, project });
        return [project, new Client(() => this.api.url, project, body.key)];
      }),
    );
    this.clients = Object.fromEntries(clients);
  }

  async startWorker(index: number, options: ProcessOptions = {}): Promise<TestProcess> {
    const worker = await this.processes.worker(options);
    this.workers[index] = worker;
    return worker;
  }

  /** Nothing stands in the way any more, and whoever is not running is started again. */
  async restore(): Promise<void> {
    for (const proxy of Object.values(this.proxies)) proxy.pass();
    // One that is crashing right now shows a moment later.
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

  /** The programs that ended by themselves since this was last asked, with their last words. */
  crashes(): string[] {
    return this.#crashes
      .splice(0)
      .map(({ lines }) => `crashed: ${JSON.stringify(lines.slice(-8)).slice(0, 2_000)}`);
  }

  /** The worker that has a run of this schedule in hand. */
  async holderOf(key: string): Promise<TestProcess> {
    const { rows } = await this.pool.query<{ pid: number }>(
      `select w.pid from every_run r join every_schedule s on s.id = r.schedule_id join workers w on w.id = r.worker_id
       where s.key = $1 and r.status = 'running'`,
      [key],
    );
    const holder = this.workers.find(({ pid }) => pid === rows[0]?.pid);
    if (!holder) throw new Error(`nobody has a run of ${key} in hand`);
    return holder;
  }

  /** Waits until the API has heard of it: what it knows of a key is up to a second old. */
  async limitRequests(project: (typeof PROJECTS)[number], requestsPerMinute: number): Promise<void> {
    const { status } = await this.admin.ask('PATCH', `/v1/projects/${project}`, {
      limits: { requestsPerMinute },
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
  }
}
