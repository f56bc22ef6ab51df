import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem, sendProblem, writeProblem } from './problem.js';

/**
 * Maximum length of a path parameter. Ids have up to 128 characters. For a parameter beyond its limit the router answers
 * 404 or 414, so the limit of the router is higher, and the schema of the route answers 400.
 */
const MAX_PARAM_LENGTH = 1_024;

/** The headers of a problem that is sent before any hook runs. */
const UNROUTED_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

/** Options of the server that leave every refusal to this file, so that each has a problem document as its body. */
export const SERVER_PROBLEMS = {
  routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
  return503OnClosing: false,
  frameworkErrors: sendUnroutable,
  clientErrorHandler: answerUnreadable,
};

/** Refuses requests that Node or Fastify would refuse without a problem document. */
export function refuseUnservable(app: FastifyInstance): void {
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  app.addHook('onRequest', async ({ raw: { headers, httpVersion } }) => {
    if (isStopping)
      throw new HttpProblem('stopping', 'this API is stopping; send the request again', {
        headers: { 'retry-after': '1' },
      });
    if (headers.host === undefined && httpVersion === '1.1')
      throw new HttpProblem('bad_request', 'the request has no Host header');
  });
  // Node answers 417 without a body to any expectation but `100-continue`. A server may also ignore the header.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}

/** Answers a request whose path the router cannot read. */
function sendUnroutable({ code }: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const problem =
    code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? new HttpProblem('uri_too_long', `a part of the path has more than ${MAX_PARAM_LENGTH} characters`)
      : new HttpProblem('bad_request', 'the path cannot be decoded; write a percent sign as %25');
  reply.headers(UNROUTED_HEADERS);
  sendProblem(problem, request, reply);
}

/** Answers a request that Node could not read, then closes the connection. */
function answerUnreadable(this: FastifyInstance, error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  this.log.trace({ err: error }, 'Unreadable request');
  const problem = unreadableProblem(error);
  const body = writeProblem(problem);
  const headers = {
    ...UNROUTED_HEADERS,
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = problem;
  if (socket.writable)
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  socket.destroy(error);
}

function unreadableProblem({ code, message }: ConnectionError): HttpProblem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new HttpProblem('request_timeout', 'the request did not arrive in time');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new HttpProblem('headers_too_large', 'the address and the headers are larger than 16 KiB');
  return new HttpProblem('bad_request', `the request is not valid HTTP: ${message}`);
}
