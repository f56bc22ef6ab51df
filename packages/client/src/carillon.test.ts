import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Carillon } from './carillon.js';
import { CarillonError } from './transport/carillon-error.js';

interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

type Answer = (response: ServerResponse) => void;

let url = '';
let received: Received[] = [];
/** The responses that the test server gives, in this order. The last one repeats. */
let script: Answer[] = [];

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  received.push({ method: request.method, url: request.url, headers: request.headers, body });
  const answer = script.length > 1 ? script.shift() : script[0];
  answer?.(response);
});

const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
const reset: Answer = (response) => response.socket?.resetAndDestroy();
const hang: Answer = () => {};
const problem = (status: number, detail: string, more: object = {}, headers: Record<string, string> = {}) =>
  json(
    status,
    { type: '/problems/not_found', code: 'not_found', title: 'No', status, detail, ...more },
    headers,
  );

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received = [];
  script = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const client = (options: object = {}) => new Carillon({ url: `${url}/`, key: 'ck_1', ...options });
const failure = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error as CarillonError,
  );

describe('Calls', () => {
  it('a client call sends the API key and the query', async () => {
    script = [json(200, { items: [], nextCursor: null })];
    await client()
      .schedules.list({ tag: 'billing', dueBefore: new Date(0) })
      .page();
    expect(received[0]).toMatchObject({
      method: 'GET',
      url: '/v1/schedules?tag=billing&dueBefore=1970-01-01T00%3A00%3A00.000Z',
      headers: { authorization: 'Bearer ck_1' },
    });
  });

  it('a client call is retried with the same Idempotency-Key after a lost connection, a 503 and a 429', async () => {
    script = [
      reset,
      problem(503, 'away'),
      problem(429, 'slowly', {}, { 'retry-after': '0' }),
      json(201, { id: 'a' }),
    ];
    expect(await client().schedules.create({ rule: { in: 'PT5M' } })).toEqual({ id: 'a' });
    expect(received).toHaveLength(4);
    expect(received[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  });

  it('a client call that is unsafe to repeat, such as replayAll, is not retried after a lost connection', async () => {
    script = [reset];
    const error = await failure(client().runs.replayAll());
    expect(error).toMatchObject({ name: 'CarillonError', kind: 'network', status: null });
    expect(received).toHaveLength(1);
  });

  it('a client call gives up after maxRetries retries and throws the last error', async () => {
    script = [problem(503, 'the database is away')];
    const error = await failure(client({ maxRetries: 1 }).schedules.get('a'));
    expect(error).toMatchObject({ kind: 'refused', status: 503, message: 'the database is away' });
    expect(received).toHaveLength(2);
  });

  it('a failed client call throws a CarillonError with the code and the field errors', async () => {
    const errors = [
      { field: 'rule.cron', code: 'invalid_value', message: 'field 2 (hour) is 25; expected 0-23' },
    ];
    script = [problem(400, 'rule.cron: field 2 (hour) is 25; expected 0-23', { errors })];
    const error = await failure(client().schedules.create({ rule: { cron: '0 25 * * *' } }));
    expect(error).toBeInstanceOf(CarillonError);
    expect(error).toMatchObject({
      status: 400,
      code: 'not_found',
      fieldErrors: errors,
      problem: { title: 'No' },
    });
    expect(received).toHaveLength(1);
  });

  it('an error response that is not problem+json, such as that of a proxy, becomes a CarillonError whose problem is null', async () => {
    script = [(response) => response.writeHead(403, 'Forbidden').end('<h1>Proxy</h1>')];
    expect(await failure(client().system())).toMatchObject({
      status: 403,
      problem: null,
      message: 'the API answered 403 Forbidden',
    });
  });

  it('a client call throws a CarillonError of the kind unreadable if a successful response is not JSON', async () => {
    script = [(response) => response.writeHead(200).end('<h1>Welcome</h1>')];
    expect(await failure(client().system())).toMatchObject({ kind: 'unreadable' });
  });

  it('a client call that gets no response fails after its time-out', async () => {
    script = [hang];
    const error = await failure(client({ timeoutMs: 50, maxRetries: 0 }).system());
    expect(error).toMatchObject({ kind: 'timeout', message: `no response from ${url} within 50 ms` });
  });

  it('an aborted client call throws the reason of its signal', async () => {
    script = [hang];
    const stop = new AbortController();
    const call = failure(client().system({ signal: stop.signal }));
    await expect.poll(() => received.length).toBe(1);
    stop.abort(new Error('enough'));
    expect(await call).toMatchObject({ message: 'enough' });
  });

  it('a client call can be aborted while it waits for a retry', async () => {
    script = [problem(429, 'slowly', {}, { 'retry-after': '30' })];
    const stop = new AbortController();
    const call = failure(client().system({ signal: stop.signal }));
    await expect.poll(() => received.length).toBe(1);
    stop.abort(new Error('enough'));
    expect(await call).toMatchObject({ message: 'enough' });
  });

  it('the client sends the expected version of an edit as If-Match', async () => {
    script = [json(200, {})];
    await client().schedules.update('a', { tags: ['x'] }, { ifMatch: 3 });
    await client().schedules.pause('a', { note: 'n', ifMatch: '"4"' });
    expect(received.map(({ headers }) => headers['if-match'])).toEqual(['"3"', '"4"']);
    expect(received[1]?.body).toBe('{"note":"n"}');
  });
});

describe('Lists', () => {
  const pages = [
    json(200, { items: [1, 2], nextCursor: 'b' }),
    json(200, { items: [3], nextCursor: 'c' }),
    json(200, { items: [4], nextCursor: null }),
  ];

  it('iterating over a list in the client fetches one page after another', async () => {
    script = [...pages];
    const runs: unknown[] = [];
    for await (const run of client().runs.list({ status: 'failed', limit: 2 })) runs.push(run);
    expect(runs).toEqual([1, 2, 3, 4]);
    expect(received.map(({ url }) => url)).toEqual([
      '/v1/runs?status=failed&limit=2',
      '/v1/runs?status=failed&limit=2&cursor=b',
      '/v1/runs?status=failed&limit=2&cursor=c',
    ]);
  });

  it('a loop over a list of the client requests no further pages after it has ended early', async () => {
    script = [...pages];
    expect(await client().runs.list().take(3)).toEqual([1, 2, 3]);
    expect(received).toHaveLength(2);
  });

  it('the client can request a single page of a list', async () => {
    script = [...pages];
    expect(await client().runs.list({ cursor: 'a' }).page()).toEqual({ items: [1, 2], nextCursor: 'b' });
    expect(received[0]?.url).toBe('/v1/runs?cursor=a');
  });
});

describe('Events', () => {
  const stream =
    (...texts: string[]): Answer =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const text of texts) response.write(text);
      response.end();
    };
  const said = (id: string, at = '') => `${at}event: run.started\ndata: {"id":"${id}"}\n\n`;

  it('the event stream of the client resumes after a lost connection and yields no event twice', async () => {
    script = [
      stream(
        'retry: 1\n\n',
        'id: 1-1\n\n',
        said('a'),
        said('b', 'id: 2-1\n'),
        'event: run.started\ndata: {"id"',
      ),
      reset,
      stream('retry: 1\n\n', said('b'), said('c', 'id: 3-1\n')),
    ];
    const lost: unknown[] = [];
    const events: unknown[] = [];
    for await (const { data, lastEventId } of client().events({ onReconnect: (error) => lost.push(error) })) {
      events.push([data.id, lastEventId]);
      if (events.length === 3) break;
    }
    expect(events).toEqual([
      ['a', '1-1'],
      ['b', '2-1'],
      ['c', '3-1'],
    ]);
    expect(received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2-1', '2-1']);
    expect(lost).toEqual([null, expect.objectContaining({ kind: 'network' })]);
  });

  it('the event stream of the client does not reconnect if the API refused its key', async () => {
    script = [problem(401, 'this API key is unknown')];
    expect(await failure(client().events().next())).toMatchObject({ status: 401 });
  });

  it('the event stream of the client ends when its signal is aborted', async () => {
    script = [(response) => response.writeHead(200).write(': still here\n\n')];
    const stop = new AbortController();
    const next = failure(client().events({ signal: stop.signal }).next());
    await expect.poll(() => received.length).toBe(1);
    stop.abort(new Error('enough'));
    expect(await next).toMatchObject({ message: 'enough' });
  });
});
