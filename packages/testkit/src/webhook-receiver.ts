import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll } from 'vitest';

/** A received request. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

export interface WebhookReceiver {
  readonly origin: string;
  /**
   * The URL at which the receiver answers in a certain way, such as `status/503` or `hang`. Further parts of the path
   * have no effect; tests use them to distinguish requests.
   */
  url(path: string): string;
  readonly received: readonly Received[];
  /** The requests to one path. */
  to(path: string): Received[];
  /** The number of requests that are not answered yet. */
  readonly open: number;
  /** The largest number of unanswered requests at one time. */
  readonly mostOpen: number;
}

type Behaviour = (response: ServerResponse, argument: string, times: number) => void;

const GIGABYTE = 1_024 ** 3;
const FLOOD = Buffer.alloc(64 * 1_024, 'x');

/** How the receiver answers, by the first part of the path. The next part is the argument. */
const BEHAVIOURS: Record<string, Behaviour> = {
  status: (response, code) =>
    response.writeHead(Number(code)).end(Number(code) === 204 ? '' : `answered ${code}`),
  created: (response, id) => response.writeHead(201, JSON_TYPE).end(JSON.stringify({ id, status: 'queued' })),
  redirect: (response, code) => response.writeHead(Number(code), { location: '/status/200' }).end(),
  'retry-after': (response, seconds) => response.writeHead(429, { 'retry-after': seconds }).end(),
  'retry-date': (response, seconds) =>
    response
      .writeHead(429, { 'retry-after': new Date(Date.now() + Number(seconds) * 1_000).toUTCString() })
      .end(),
  /** Fails the first requests to a path (as many as the argument says), then succeeds. */
  flaky: (response, failures, times) => response.writeHead(times <= Number(failures) ? 500 : 200).end(),
  slow: (response, ms) => setTimeout(() => response.writeHead(200).end(), Number(ms)),
  reset: (response) => response.socket?.resetAndDestroy(),
  'reset-midway': (response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('half of');
    setTimeout(() => response.socket?.resetAndDestroy(), 20);
  },
  hang: () => {},
  drip: (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders();
    const timer = setInterval(() => response.write('.'), 1_000);
    response.on('close', () => clearInterval(timer));
  },
  huge: (response) => {
    response.writeHead(200, { 'content-length': String(GIGABYTE) });
    const pour = () => {
      while (!response.destroyed && response.write(FLOOD));
    };
    response.on('drain', pour);
    pour();
  },
  bomb: (response) => {
    bomb ??= gzipSync(Buffer.alloc(50 * 1_024 * 1_024));
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(bomb);
  },
  garbage: (response) => response.socket?.end('\0\x01\x02 this is no HTTP at all \xff\r\n\r\n'),
  headers: (response) => response.socket?.end(`HTTP/1.1 200 OK\r\n${'x-long: y\r\n'.repeat(100_000)}\r\n`),
  binary: (response) => response.writeHead(200).end(Buffer.alloc(16 * 1_024, 0xff)),
};

const JSON_TYPE = { 'content-type': 'application/json' };
let bomb: Buffer | undefined;

/** Starts a real HTTP server for the calling test file. The path of a request selects how the server behaves. */
export function useReceiver(): WebhookReceiver {
  const received: Received[] = [];
  let origin = '';
  let open = 0;
  let mostOpen = 0;
  const server = createServer(async (request, response) => {
    open++;
    mostOpen = Math.max(mostOpen, open);
    response.on('close', () => open--);
    const path = (request.url ?? '/').slice(1);
    const { method = '', headers } = request;
    received.push({ method, path, headers, body: await readBody(request), at: Date.now() });
    const [name = '', argument = ''] = path.split('/');
    const behave = BEHAVIOURS[name] ?? ((answer: ServerResponse) => answer.writeHead(404).end());
    behave(response, argument, received.filter((each) => each.path === path).length);
  });
  // The receiver has no time-outs of its own, so that only the sender decides how long to wait.
  Object.assign(server, { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 60_000 });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  return {
    get origin() {
      return origin;
    },
    get open() {
      return open;
    },
    get mostOpen() {
      return mostOpen;
    },
    received,
    url: (path) => `${origin}/${path}`,
    to: (path) => received.filter((each) => each.path === path),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
