import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request to the receiver, and its answer. */
export interface Delivery {
  /** The project whose URL was called. */
  project: string;
  path: string;
  runId: string;
  scheduleKey: string;
  attempt: number;
  attemptKey: string;
  bodyHash: string;
  at: number;
  status: number | null;
  /** The time at which the answer was sent; null until then. */
  answeredAt: number | null;
  /** Answers the request, if the receiver holds it back. */
  answer(status: number): Promise<void>;
}

/** An HTTP receiver with a separate server for each project. It logs every request. */
export class Receiver {
  readonly log: Delivery[] = [];
  /** The largest number of requests to each project that were open at the same time. */
  readonly mostOpen = new Map<string, number>();
  readonly #open = new Map<string, number>();
  readonly #servers = new Map<string, Server>();
  /** The port of each project whose server is down, so that its server can later listen on the same port. */
  readonly #ports = new Map<string, number>();

  static async listen(projects: readonly string[]): Promise<Receiver> {
    const receiver = new Receiver();
    for (const project of projects) await receiver.#listen(project);
    return receiver;
  }

  /**
   * Returns the URL of a project's receiver. The path says how it answers: `ok`, `slow/<ms>`, `status/<code>`, or
   * `hold`, which answers only when `answer` is called.
   */
  url(project: string, path: string): string {
    const address = this.#servers.get(project)?.address() as AddressInfo | null | undefined;
    return `http://127.0.0.1:${address?.port ?? this.#ports.get(project)}/${path}`;
  }

  to(path: string): Delivery[] {
    return this.log.filter((delivery) => delivery.path === path);
  }

  /** The requests to `hold` that have no answer yet. */
  held(): Delivery[] {
    return this.log.filter(({ path, answeredAt }) => path.startsWith('hold') && answeredAt === null);
  }

  /** Stops the server of a project: connections to it are refused until `up` is called. */
  down(project: string): void {
    const server = this.#serverOf(project);
    this.#ports.set(project, (server.address() as AddressInfo).port);
    server.close();
    server.closeAllConnections();
  }

  async up(project: string): Promise<void> {
    const server = this.#serverOf(project);
    if (server.listening) return;
    server.listen(this.#ports.get(project), '127.0.0.1', 4_096);
    await once(server, 'listening');
  }

  #serverOf(project: string): Server {
    const server = this.#servers.get(project);
    if (!server) throw new Error(`there is no receiver for ${project}`);
    return server;
  }

  forget(): void {
    this.log.length = 0;
    this.mostOpen.clear();
  }

  close(): void {
    for (const server of this.#servers.values()) {
      server.closeAllConnections();
      server.close();
    }
  }

  async #listen(project: string): Promise<void> {
    const server = createServer((request, response) => {
      this.#count(project, 1);
      response.on('close', () => this.#count(project, -1));
      this.#receive(project, request, response).catch(() => response.destroy());
    });
    Object.assign(server, { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 60_000 });
    server.listen(0, '127.0.0.1', 4_096);
    await once(server, 'listening');
    this.#servers.set(project, server);
  }

  #count(project: string, change: number): void {
    const open = (this.#open.get(project) ?? 0) + change;
    this.#open.set(project, open);
    this.mostOpen.set(project, Math.max(open, this.mostOpen.get(project) ?? 0));
  }

  async #receive(project: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { runId, scheduleId, attempt } = JSON.parse(body.toString());
    const delivery: Delivery = {
      project,
      path: (request.url ?? '/').slice(1),
      runId,
      scheduleKey: scheduleId,
      attempt,
      attemptKey: String(request.headers['x-attempt-key']),
      bodyHash: createHash('sha256').update(body).digest('base64url'),
      at,
      status: null,
      answeredAt: null,
      async answer(status) {
        // The worker has closed the connection, so the answer can't be sent.
        if (response.destroyed) return;
        Object.assign(delivery, { status, answeredAt: Date.now() });
        await new Promise<void>((resolve) => {
          response.once('close', resolve).writeHead(status).end(resolve);
        });
      },
    };
    this.log.push(delivery);
    const [behaviour, argument] = delivery.path.split('/');
    if (behaviour === 'hold') return;
    if (behaviour === 'slow') await sleep(Number(argument));
    await delivery.answer(behaviour === 'status' ? Number(argument) : 200);
  }
}
