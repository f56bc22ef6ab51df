import { type HttpAnswer, hostProblem, RecentCache } from '@carillon/shared';
import { Agent, type Dispatcher } from 'undici';
import type { StopSignal } from '../in-flight.js';
import { BlockedAddress, type LookupOptions, vettedLookup } from './vetted-lookup.js';

export interface PostRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The total deadline, and every other reason to stop. */
  signal: StopSignal;
}

export type PostResult =
  | { kind: 'answered'; answer: HttpAnswer }
  | { kind: 'unanswered'; isTransient: boolean; errorCode: string; error: string };

/** Where a URL leads, and why it may not lead there. */
interface Address {
  origin: string;
  path: string;
  problem: string | null;
}

/** Of an answer, this much is read; what comes after it is not even received. */
const MOST_KEPT = 16 * 1_024;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * Posts, with a pool of kept connections for each origin. It follows no redirect, knows no proxy, decompresses nothing and
 * sends no cookie: what is sent goes to the host that was named, and to an address of it that was vetted.
 */
export class Poster {
  readonly #agent: Agent;
  /** A herd shares its URL: what was taken apart lately is not taken apart again. */
  readonly #addresses = new RecentCache<string, Address>(1_000);

  constructor(private readonly options: LookupOptions & { connectionsPerOrigin: number }) {
    this.#agent = new Agent({
      connections: options.connectionsPerOrigin,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The request's own signal is the deadline, over all of it; these would only restart with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: CONNECT_TIMEOUT_MS, lookup: vettedLookup(options) },
    });
  }

  /** Throws only where the signal aborted; whatever else goes wrong is a result. */
  async post({ url, headers, body, signal }: PostRequest): Promise<PostResult> {
    const { origin, path, problem } = this.addressOf(url);
    if (problem !== null) return blocked(problem);
    try {
      const answer = await readAnswer(signal, (handler) =>
        this.#agent.dispatch(
          {
            origin,
            path,
            method: 'POST',
            headers: { 'user-agent': 'Carillon', ...headers, 'accept-encoding': 'identity' },
            body,
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
      const { origin, pathname, search } = new URL(url);
      // A host that is an address is never looked up, so it is vetted here.
      return { origin, path: pathname + search, problem: hostProblem(url, this.options) };
    });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

class Enough extends Error {}

/**
 * Dispatches a request and reads the start of its answer. Below undici's `request`, whose stream and listeners for a body
 * of a few bytes cost as much as all else; and the signal is heard also while there is no connection yet.
 */
function readAnswer(
  signal: StopSignal,
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
      const text = chunks.length === 0 ? '' : Buffer.concat(chunks).toString('utf8', 0, MOST_KEPT);
      settle(() => resolve({ ...read, text: kept(text) }));
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) return stop();
    dispatch({
      onRequestStart(controller) {
        request = controller;
        if (signal.aborted) controller.abort(toError(signal.reason));
      },
      onResponseStart(_controller, status, { 'retry-after': retryAfter }) {
        // What comes before the answer itself (1xx) says nothing.
        if (status >= 200)
          answer = { status, retryAfter: typeof retryAfter === 'string' ? retryAfter : null, text: '' };
      },
      onResponseData(controller, chunk) {
        if (!answer) return;
        chunks.push(chunk);
        size += chunk.length;
        if (size < MOST_KEPT) return;
        resolveWith(answer);
        controller.abort(new Enough());
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

/** Bytes that are no text have become signs of three bytes each. */
const kept = (text: string) => (Buffer.byteLength(text) <= MOST_KEPT ? text : text.slice(0, MOST_KEPT / 3));

const blocked = (error: string): PostResult => ({
  kind: 'unanswered',
  isTransient: false,
  errorCode: 'blocked_address',
  error,
});

type Failure = Error & { code?: string; cause?: Error };

const ERROR_CODES: [RegExp, string][] = [
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_lost'],
  [/^(ENOTFOUND|EAI_AGAIN|EAI_)/, 'name_not_found'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|EHOSTUNREACH|ENETUNREACH)$/, 'unreachable'],
  [/^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES)/, 'bad_answer'],
  [/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/, 'tls'],
];

function unanswered({ code = '', name, message, cause }: Failure): PostResult {
  const errorCode = ERROR_CODES.find(([pattern]) => pattern.test(code || name))?.[1] ?? 'network';
  const text = message || cause?.message || code;
  return { kind: 'unanswered', isTransient: true, errorCode, error: code ? `${text} (${code})` : text };
}
