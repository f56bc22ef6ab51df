import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readEngineFacts } from '@carillon/db';
import { type Health, healthInPhase, judgeHealth, type Phase } from '@carillon/shared';
import { cachedFor, exposition, type Gauge, poolGauges, readHealthFacts } from '@carillon/telemetry';
import type { WorkerParts } from './open-parts.js';
import type { InFlight } from './pipeline/in-flight.js';

/** The parts of a connected worker that its probes report on. */
export interface ProbedWorker {
  parts: Pick<WorkerParts, 'context' | 'redisWatch'>;
  inFlight: Pick<InFlight, 'count' | 'places'>;
}

interface Answer {
  status: number;
  type: 'application/json' | 'text/plain; version=0.0.4; charset=utf-8';
  body: string;
}

/** Cache TTL of the health check. Probes need no key, so many requests must not cause many queries. */
const CACHE_TTL_MS = 1_000;
/** Maximum time to receive a request, so that a slow client does not keep the process from ending. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Serves `/health/live`, `/health/ready` and `/metrics` of one worker. It answers from the start to the end of the
 * process.
 */
export class Probes {
  readonly #server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) =>
    this.#handle(request, response),
  );
  #phase: Phase = 'starting';
  #worker: ProbedWorker | null = null;
  readonly #health = cachedFor(CACHE_TTL_MS, () => readHealth(this.#worker as ProbedWorker));

  /** Listens on a port and resolves to it. For port 0 the system chooses one. */
  listen({ host, port }: { host: string; port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  /** Called when the worker has started. From then on, it is ready as long as Postgres and Redis allow it. */
  watch(worker: ProbedWorker): void {
    this.#worker = worker;
    this.#phase = 'running';
  }

  /** Called when the worker begins to stop. From then on, it is not ready. */
  noteStopping(): void {
    this.#phase = 'stopping';
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle({ method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = url.split('?')[0];
    const isRead = method === 'GET' || method === 'HEAD';
    const { status, type, body } = await (isRead ? this.#answer(path) : Promise.resolve(NOT_FOUND)).catch(
      () => FAILED,
    );
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
    response.end(method === 'HEAD' ? undefined : body);
  }

  async #answer(path: string | undefined): Promise<Answer> {
    switch (path) {
      case '/health/live':
        return json(200, { status: 'ok' });
      case '/health/ready': {
        const health = await this.#readiness();
        // A degraded worker counts as ready: it still claims and delivers, but late.
        return json(health.status === 'down' ? 503 : 200, health);
      }
      case '/metrics':
        return {
          status: 200,
          type: 'text/plain; version=0.0.4; charset=utf-8',
          body: await this.#metrics(),
        };
      default:
        return NOT_FOUND;
    }
  }

  #readiness(): Promise<Health> | Health {
    return this.#phase === 'running' ? this.#health() : healthInPhase(this.#phase);
  }

  #metrics(): Promise<string> {
    // Before the worker has an id, its counters are left out: without the label `worker` they would look like the sums
    // that the API serves.
    if (!this.#worker) return exposition({ counters: null, gauges: [] });
    const { context } = this.#worker.parts;
    return exposition({
      counters: context.metrics.totals(),
      gauges: gaugesOf(this.#worker),
      labels: { worker: String(context.holder.workerId) },
    });
  }
}

async function readHealth({ parts: { context, redisWatch } }: ProbedWorker): Promise<Health> {
  const facts = await readHealthFacts({
    pingPostgres: () => context.pool.query('select 1'),
    readEngine: () => readEngineFacts(context.pool, null),
    lookAtRedis: () => redisWatch.look(),
  });
  return judgeHealth(facts);
}

function gaugesOf({ parts: { context, redisWatch }, inFlight }: ProbedWorker): Gauge[] {
  const gauge = (name: string, value: number, help: string) => ({ name, help, values: [{ value }] });
  return [
    gauge('carillon_in_flight', inFlight.count, 'Runs that this worker is processing.'),
    gauge('carillon_places', inFlight.places.capacity, 'Runs that this worker can process at once.'),
    gauge(
      'carillon_clock_offset_seconds',
      context.clock.offsetMs / 1_000,
      "How far the clock of this worker is ahead of Postgres's.",
    ),
    ...(redisWatch.state === 'off'
      ? []
      : [gauge('carillon_redis_up', redisWatch.state === 'up' ? 1 : 0, 'Whether Redis takes writes.')]),
    ...poolGauges(context.pool as unknown as Parameters<typeof poolGauges>[0]),
  ];
}

const json = (status: number, body: unknown): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});
const NOT_FOUND = json(404, { error: 'A worker serves /health/live, /health/ready and /metrics.' });
const FAILED = json(500, { error: 'This could not be read.' });
