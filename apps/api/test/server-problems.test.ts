import { once } from 'node:events';
import { connect } from 'node:net';
import { PROBLEMS, type ProblemCode } from '@carillon/shared';
import { ADMIN_KEY } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { useApi } from './use-api.js';

const api = useApi({ REQUEST_TIMEOUT_MS: '1000' });

/** Sends text as it is over a connection of its own, and returns the response, which ends the connection. */
async function send(text: string): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  const [head = '', body = ''] = said.split('\r\n\r\n', 2);
  return { status: Number(head.split(' ')[1]), head, body };
}

const CLOSE = 'Host: x\r\nConnection: close';
const CHUNKED =
  'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer ck\r\nHost: x';

describe('Requests that reach no route', () => {
  it.each<[string, ProblemCode, string | undefined, string]>([
    ['with a method that HTTP lacks', 'bad_request', undefined, `FOO /v1/me HTTP/1.1\r\n${CLOSE}\r\n\r\n`],
    [
      'with a method that no route has',
      'route_not_found',
      '/v1/me',
      `PURGE /v1/me HTTP/1.1\r\n${CLOSE}\r\n\r\n`,
    ],
    ['without a Host header', 'bad_request', '/v1/me', 'GET /v1/me HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [
      'with a Content-Length that is not a number',
      'bad_request',
      undefined,
      `POST /v1/schedules HTTP/1.1\r\nContent-Length: abc\r\n${CLOSE}\r\n\r\n`,
    ],
    [
      'with a chunk whose size is not a number',
      'bad_request',
      undefined,
      `POST /sign-in HTTP/1.1\r\n${CHUNKED}\r\n\r\nzz\r\n`,
    ],
    [
      'with headers of 20 kB',
      'headers_too_large',
      undefined,
      `GET /v1/me HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n${CLOSE}\r\n\r\n`,
    ],
    [
      'whose body does not arrive in time',
      'request_timeout',
      undefined,
      'POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ],
    [
      'whose path has a percent sign without digits',
      'bad_request',
      '/v1/schedules/%zz',
      `GET /v1/schedules/%zz HTTP/1.1\r\n${CLOSE}\r\n\r\n`,
    ],
    [
      'with an id of 2,000 characters',
      'uri_too_long',
      `/v1/schedules/${'x'.repeat(2_000)}`,
      `DELETE /v1/schedules/${'x'.repeat(2_000)} HTTP/1.1\r\n${CLOSE}\r\n\r\n`,
    ],
  ])('a request %s is answered with the problem %s', async (_what, code, instance, text) => {
    const { status, head, body } = await send(text);
    const { title } = PROBLEMS[code];
    const problem = { type: `/problems/${code}`, code, title, status: PROBLEMS[code].status, instance };
    expect(JSON.parse(body)).toEqual({
      ...JSON.parse(JSON.stringify(problem)),
      detail: expect.stringMatching(/.{10}/),
    });
    expect(status).toBe(PROBLEMS[code].status);
    expect(head).toMatch(/^content-type: application\/problem\+json/im);
    expect(head).toMatch(/^cache-control: no-store/im);
    expect(head).toMatch(/^x-content-type-options: nosniff/im);
  });

  it('a request with an expectation that HTTP does not define is answered as if it had none', async () => {
    const key = `Authorization: Bearer ${ADMIN_KEY}`;
    const { status } = await send(`GET /v1/me HTTP/1.1\r\nExpect: a-pony\r\n${key}\r\n${CLOSE}\r\n\r\n`);
    expect(status).toBe(200);
  });
});
