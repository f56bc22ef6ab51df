import { type ErrorCode, type HttpAnswer, hostProblem, RecentCache } from '@carillon/shared';
import { Agent, type Dispatcher } from 'undici';
import type { StopSignal } from '../../pipeline/in-flight.js';
import { BlockedAddress, type LookupOptions, nameIn, vettedLookup } from './vetted-lookup.js';

export interface PostRequest {
  /** The project that the request is posted for. */
  projectId: number;
  url: string;
  /** Default: POST. */
  method?: Dispatcher.HttpMethod | undefined;
  headers: Record<string, string>;
  /** Empty for a request without a body. */
  body: string;
  /** Aborts at the deadline of the whole request, and when the delivery must stop for another reason. */
  signal: StopSignal;
  /** Called when the request begins to wait for its connection. If it throws, nothing is sent. */
  onConnect?: (() => void) | undefined;
  /** Called when the first byte of the request is about to leave. If it throws, nothing is sent. */
  onSend?: (() => void) | undefined;
}

export type PostResult =
  | { kind: 'answered'; answer: HttpAnswer }
  | { kind: 'unanswered'; isTransient: boolean; errorCode: ErrorCode; error: string }
  /** Nothing was sent, because too many host names are being resolved now, by this project or by all projects. */
  | { kind: 'busy' };

/** A parsed URL, and the reason if requests to it are refused. */
interface Address {
  origin: string;
  path: string;
  /** The host name to resolve; null if the host is an IP address. */
  name: string | null;
  problem: string | null;
}

/** Maximum number of bytes that are read of an answer. After that the connection is closed. */
const MAX_ANSWER_BYTES = 16 * 1_024;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * Posts over a pool of keep-alive connections per origin. It follows no redirects and uses no proxy, so a request
 * reaches only the named host, at an address that was checked. It sends no cookies and does not decompress answers.
 */
export class Poster {
  readonly #agent: Agent;
  /** Many schedules share a URL, so recently parsed ones are cached. */
  readonly #addresses = new RecentCache<string, Address>(1_000);

  constructor(private readonly options: LookupOptions & { connectionsPerOrigin: number }) {
    this.#agent = new Agent({
      connections: options.connectionsPerOrigin,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The request's signal is the deadline of the whole request. These time-outs would restart with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: CONNECT_TIMEOUT_MS, lookup: vettedLookup(options) },
    });
  }

  /** Posts a request. Throws only if the signal aborted; every other failure is a result. */
  async post({
    projectId,
    url,
    method = 'POST',
    headers,
    body,
    signal,
    onConnect,
    onSend,
  }: PostRequest): Promise<PostResult> {
    const { origin, path, name, problem } = this.addressOf(url);
    if (problem !== null) return blocked(problem);
    if (name !== null) {
      // The name is resolved here, because a new connection does not know for which project it is opened. The
      // connection then finds the address in the resolver's cache.
      const resolution = await orAbort(this.options.names.resolve(name, projectId), signal);
      if (resolution.kind === 'busy') return resolution;
      if (resolution.kind === 'failed') return unanswered(resolution.error as Failure);
    }
    try {
      onConnect?.();
      const answer = await readAnswer({ signal, onSend }, (handler) =>
        this.#agent.dispatch(
          {
            origin,
            path,
            method,
            headers: { 'user-agent': 'Carillon', ...headers, 'accept-encoding': 'identity' },
            body: body === '' ? null : body,
          },
          handler,
        ),
      );
      return { kind: 'answered', answer };
    } catch (error) {
      if (signal.aborted) throw error;
      return error instanceof BlockedAddress ? blocked(error.message) : unanswered(error as Failure);
    }
  }

  addressOf(url: string): Address {
    return this.#addresses.get(url, () => {
      const parsed = new URL(url);
      const { origin, pathname, search } = parsed;
      // A host that is an IP address is never resolved, so it is checked here.
      const problem = hostProblem(url, this.options);
      return { origin, path: pathname + search, name: nameIn(parsed), problem };
    });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Waits for a promise, and rejects if the signal aborts first. */
function orAbort<T>(promise: Promise<T>, signal: StopSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The reason for which a request is aborted once enough of its answer has been read. */
class AnswerTooLong extends Error {}

/**
 * Dispatches a request and reads the start of its answer. This uses undici's `dispatch` instead of `request`, because
 * with `dispatch` the signal also stops a request that has no connection yet: the deadline covers connecting.
 */
function readAnswer(
  { signal, onSend }: Pick<PostRequest, 'signal' | 'onSend'>,
  dispatch: (handler: Dispatcher.DispatchHandler) => void,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let request: Dispatcher.DispatchController | null = null;
    let answer: HttpAnswer | null = null;
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (finish: () => void) => {
      signal.removeEventListener('abort', stop);
      finish();
    };
    const stop = () => {
      settle(() => reject(signal.reason));
      request?.abort(toError(signal.reason));
    };
    const resolveWith = (read: HttpAnswer) => {
      const text = chunks.length === 0 ? '' : Buffer.concat(chunks).toString('utf8', 0, MAX_ANSWER_BYTES);
      settle(() => resolve({ ...read, text: kept(text) }));
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) return stop();
    dispatch({
      onRequestStart(controller) {
        request = controller;
        if (signal.aborted) controller.abort(toError(signal.reason));
        else onSend?.();
      },
      onResponseStart(_controller, status, { 'retry-after': retryAfter }) {
        // Informational responses (1xx) come before the answer.
        if (status >= 200)
          answer = { status, retryAfter: typeof retryAfter === 'string' ? retryAfter : null, text: '' };
      },
      onResponseData(controller, chunk) {
        if (!answer) return;
        chunks.push(chunk);
        size += chunk.length;
        if (size < MAX_ANSWER_BYTES) return;
        resolveWith(answer);
        controller.abort(new AnswerTooLong());
      },
      onResponseEnd() {
        if (answer) resolveWith(answer);
        else settle(() => reject(new Error('the connection was closed without an answer')));
      },
      onResponseError(_controller, error) {
        settle(() => reject(error));
      },
    });
  });
}

const toError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)));

/**
 * Decoding replaces each invalid byte by a character of three bytes, so the text may exceed the maximum number of
 * bytes. The text is then cut to `MAX_ANSWER_BYTES / 3` UTF-16 units, because one unit takes at most three bytes in
 * UTF-8.
 */
const kept = (text: string) =>
  Buffer.byteLength(text) <= MAX_ANSWER_BYTES ? text : text.slice(0, MAX_ANSWER_BYTES / 3);

const blocked = (error: string): PostResult => ({
  kind: 'unanswered',
  isTransient: false,
  errorCode: 'blocked_address',
  error,
});

type Failure = Error & { code?: string; cause?: Error };

const CODES_OF_ERRORS: [RegExp, ErrorCode][] = [
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_lost'],
  [/^(ENOTFOUND|EAI_AGAIN|EAI_)/, 'name_not_found'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|EHOSTUNREACH|ENETUNREACH)$/, 'unreachable'],
  [/^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES)/, 'bad_answer'],
  [/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/, 'tls'],
];

function unanswered({ code = '', name, message, cause }: Failure): PostResult {
  const errorCode = CODES_OF_ERRORS.find(([pattern]) => pattern.test(code || name))?.[1] ?? 'network';
  const text = message || cause?.message || code;
  return { kind: 'unanswered', isTransient: true, errorCode, error: code ? `${text} (${code})` : text };
}
