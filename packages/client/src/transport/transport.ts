import { CarillonError } from './carillon-error.js';
import { encodeBody, encodeQuery, type QueryValue } from './encode.js';
import { pauseFor } from './pause-for.js';
import { readProblem } from './read-problem.js';
import { retryDelay } from './retry-delay.js';

export interface TransportOptions {
  url: string;
  key: string | undefined;
  fetch: typeof globalThis.fetch;
  maxRetries: number;
  timeoutMs: number;
  parseJson: (text: string) => unknown;
}

/** Options of a call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Time-out of one attempt. */
  timeoutMs?: number | undefined;
}

export interface Request extends CallOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Readonly<Record<string, QueryValue>> | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * True if the request may be retried even if the API may have executed it already (default: true unless it is a
   * POST).
   */
  isRepeatable?: boolean | undefined;
}

type Encoded = Omit<Request, 'body'> & { body?: string | undefined };

/** Sends requests, and retries transient failures. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = { ...options, url: options.url.replace(/\/+$/, '') };
  }

  async json<T>(request: Request): Promise<T> {
    const { isRepeatable = request.method !== 'POST', signal } = request;
    const sent = { ...request, body: request.body === undefined ? undefined : encodeBody(request.body) };
    for (let tries = 1; ; tries++) {
      try {
        return (await this.#send(sent, (response) => this.#readJson(response))) as T;
      } catch (error) {
        if (!(error instanceof CarillonError) || tries > this.#options.maxRetries) throw error;
        const delayMs = retryDelay(error, { tries, isRepeatable, random: Math.random() });
        if (delayMs === null) throw error;
        await pauseFor(delayMs, signal);
      }
    }
  }

  /**
   * Returns a response whose body is read as a stream. The time-out covers only the time until the headers have
   * arrived.
   */
  open(request: Omit<Request, 'body'>): Promise<Response> {
    return this.#send(request, (response) => response);
  }

  async #send<T>(request: Encoded, read: (response: Response) => T): Promise<Awaited<T>> {
    const { url, fetch } = this.#options;
    const timeoutMs = request.timeoutMs ?? this.#options.timeoutMs;
    const address = `${url}${request.path}${encodeQuery(request.query)}`;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal;
    try {
      const response = await fetch(address, {
        method: request.method,
        headers: this.#headers(request),
        signal,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      if (!response.ok) throw await readProblem(response);
      return await read(response);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw failureOf(error, { url, timeoutMs, isLate: late.signal.aborted });
    } finally {
      clearTimeout(timer);
    }
  }

  async #readJson(response: Response): Promise<unknown> {
    return response.status === 204 ? undefined : this.#options.parseJson(await response.text());
  }

  #headers({ body, headers }: Encoded): Record<string, string> {
    const { key } = this.#options;
    return {
      accept: 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
  }
}

function failureOf(
  error: unknown,
  { url, timeoutMs, isLate }: { url: string; timeoutMs: number; isLate: boolean },
): unknown {
  if (isLate) {
    return new CarillonError(`no response from ${url} within ${timeoutMs} ms`, {
      kind: 'timeout',
      cause: error,
    });
  }
  if (error instanceof SyntaxError) {
    const message = `${url} did not answer with JSON; is it the URL of a Carillon API?`;
    return new CarillonError(message, { kind: 'unreadable', cause: error });
  }
  // fetch throws a TypeError when the connection fails, and so does reading a body that breaks off.
  if (!(error instanceof TypeError)) return error;
  return new CarillonError(`cannot reach ${url}`, { kind: 'network', cause: error.cause ?? error });
}
