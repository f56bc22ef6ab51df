import { Pages } from '../pages.js';
import type { Page, PageQuery } from '../types/instant.js';
import type { QueryValue } from './encode.js';
import type { CallOptions, Request, Transport } from './transport.js';

/** Options of a call that changes something. */
export interface ChangeOptions extends CallOptions {
  /**
   * If two requests have the same key, the API executes only the first, and answers both alike. Default for a POST: a
   * new key.
   */
  idempotencyKey?: string | undefined;
}

export interface EditOptions extends ChangeOptions {
  /** The version that the resource must have. If it has another version, the API changes nothing and answers 412. */
  ifMatch?: number | string | undefined;
}

export interface PutOptions extends EditOptions {
  /** If true, the call replaces nothing: the API answers 412 if the id is taken. */
  createOnly?: boolean | undefined;
}

type Change = Pick<Request, 'method' | 'path' | 'query' | 'body' | 'isRepeatable'>;

/** Builds and sends the requests for the resources of the API. */
export class Calls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  read<T>(path: string, query?: Request['query'], options?: CallOptions): Promise<T> {
    return this.#transport.json<T>({ ...callOptions(options), method: 'GET', path, query });
  }

  /** Sends a POST that the API executes once per Idempotency-Key, so that it is safe to retry. */
  post<T>(path: string, body?: unknown, options?: EditOptions): Promise<T> {
    return this.change<T>({ method: 'POST', path, body, isRepeatable: true }, options);
  }

  change<T>(change: Change, options: PutOptions = {}): Promise<T> {
    const headers = changeHeaders(change, options);
    return this.#transport.json<T>({ ...callOptions(options), ...change, headers });
  }

  pages<T, P extends Page<T> = Page<T>>(
    path: string,
    query: Readonly<Record<string, QueryValue>> & PageQuery = {},
    options?: CallOptions,
  ): Pages<T, P> {
    return new Pages<T, P>(query, (page) => this.read<P>(path, { ...query, ...page }, options));
  }
}

const callOptions = ({ signal, timeoutMs }: CallOptions = {}) => ({ signal, timeoutMs });

function changeHeaders(
  { method }: Change,
  { ifMatch, idempotencyKey, createOnly }: PutOptions,
): Record<string, string> {
  const key = idempotencyKey ?? (method === 'POST' ? crypto.randomUUID() : undefined);
  return {
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(createOnly ? { 'if-none-match': '*' } : {}),
    ...(ifMatch === undefined ? {} : { 'if-match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch }),
  };
}
