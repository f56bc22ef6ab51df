import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ADMIN_KEY, type TestApi, type TestDatabase, useDatabase, useProcesses } from '@carillon/testkit';
import { afterAll, beforeAll } from 'vitest';
import { type Answered, useHttp } from '../systems/http.js';

/** The size of an attack: small in a test, large for the table of docs/security.md. */
export interface Scale {
  isLarge: boolean;
  /** Number of runs of the other project that the test watches. */
  watchedRuns: number;
}

export interface Answer extends Answered {
  tookMs: number;
}

/** Maximum number of runs that the worker has in flight in a small attack. In a large attack it is the default. */
const PLACES = 64;

/**
 * Receivers on separate origins, each on another loopback address. They answer requests to `/ok`; all other requests
 * hang.
 */
export class Receivers {
  readonly #servers: Server[] = [];
  readonly origins: string[] = [];
  /** The number of requests that hang now. */
  hanging = 0;

  static async listen(count: number): Promise<Receivers> {
    const receivers = new Receivers();
    for (let i = 0; i < count; i++)
      await receivers.#listenOn(`127.0.${1 + Math.floor(i / 250)}.${1 + (i % 250)}`);
    return receivers;
  }

  async #listenOn(address: string): Promise<void> {
    const server = createServer((request, response) => {
      request.resume();
      if (request.url?.startsWith('/ok')) return response.writeHead(200).end();
      this.hanging++;
      response.on('close', () => this.hanging--);
    });
    server.requestTimeout = 0;
    server.listen(0, address);
    await once(server, 'listening');
    this.#servers.push(server);
    this.origins.push(`http://${address}:${(server.address() as AddressInfo).port}`);
  }

  close(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }
}

/** An API and a worker as processes, and the number of stages (pairs of projects) that were opened on them. */
interface Installation {
  readonly database: TestDatabase;
  readonly api: TestApi;
  stages: number;
}

/** Starts an installation for the tests of the calling `describe`. Returns the function that reads it. */
export function useInstallation(scale: Scale): () => Installation {
  const database = useDatabase();
  const processes = useProcesses(database);
  const silent = createSocket('udp4');
  let installation: Installation;
  beforeAll(async () => {
    silent.bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const env = {
      LOG_LEVEL: 'info',
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      RETRY_BASE_DELAY_SECONDS: '1',
      // In a large attack, the intervals of leases and sweeps are those of production.
      ...(scale.isLarge ? { LEASE_MS: '15000', SWEEP_INTERVAL_MS: '5000', ARM_HORIZON_MS: '60000' } : {}),
    };
    const worker = {
      ...env,
      DNS_SERVERS: `127.0.0.1:${silent.address().port}`,
      ...(scale.isLarge ? {} : { WORKER_CONCURRENCY: String(PLACES) }),
    };
    const [api] = await Promise.all([processes.api({ env }), processes.worker({ env: worker })]);
    installation = { database, api, stages: 0 };
  });
  afterAll(() => {
    silent.close();
  });
  return () => installation;
}

/** Two new projects on an installation: the attacker, and the other project, whose runs must stay on time. */
export class Stage {
  private constructor(
    readonly scale: Scale,
    readonly database: TestDatabase,
    readonly api: TestApi,
    readonly receivers: Receivers,
    readonly projects: { attacker: string; other: string },
    readonly keys: { attacker: string; other: string },
  ) {}

  static async open(installation: Installation, scale: Scale): Promise<Stage> {
    const { api, database } = installation;
    const receivers = await Receivers.listen(scale.isLarge ? 200 : 20);
    const admin = (path: string, body: object) => send(api.url, ADMIN_KEY, 'POST', path, body);
    const keyOf = async (project: string) => {
      await admin('/v1/projects', { id: project });
      return (await admin('/v1/keys', { name: project, scopes: ['admin'], project })).body.key as string;
    };
    const number = ++installation.stages;
    const projects = { attacker: `attacker${number}`, other: `other${number}` };
    const keys = { attacker: await keyOf(projects.attacker), other: await keyOf(projects.other) };
    return new Stage(scale, database, api, receivers, projects, keys);
  }

  close(): void {
    this.receivers.close();
  }

  attack(method: string, path: string, body?: unknown): Promise<Answer> {
    return send(this.api.url, this.keys.attacker, method, path, body);
  }

  ask(method: string, path: string, body?: unknown): Promise<Answer> {
    return send(this.api.url, this.keys.other, method, path, body);
  }

  /** Counts the runs that a project has in flight. */
  async inFlightOf(project: 'attacker' | 'other'): Promise<number> {
    const { rows } = await this.database.pool.query<{ count: number }>(
      `select count(*)::int as count from carillon.leases l join carillon.runs r on r.epoch = l.epoch and r.status = 'running'
       join carillon.projects p on p.id = r.project_id where p.key = $1`,
      [this.projects[project]],
    );
    return rows[0]?.count ?? 0;
  }
}

async function send(url: string, key: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const startedAt = performance.now();
  const answer = await useHttp(() => url, key)(method, path, body);
  return { ...answer, tookMs: performance.now() - startedAt };
}
