import { Pages } from '../pages.js';
import type { Page, PageQuery } from '../types/instant.js';
import type { QueryValue } from './encode.js';
import type { CallOptions, Request, Transport } from './transport.js';

/** What a caller may say about a change. */
export interface ChangeOptions extends CallOptions {
  /** Names this request, so that whoever repeats it gets the same answer. Made up where none is given. */
  idempotencyKey?: string | undefined;
}

export interface EditOptions extends ChangeOptions {
  /** Only if it is still at this version; 412 otherwise. */
  ifMatch?: number | string | undefined;
}

type Change = Pick<Request, 'method' | 'path' | 'body' | 'isRepeatable'>;

/** The kinds of calls that the API knows. */
export class Calls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  read<T>(path: string, query?: Request['query'], options?: CallOptions): Promise<T> {
    return this.#transport.json<T>({ ...callOptions(options), method: 'GET', path, query });
  }

  /** A POST that the API does once for each Idempotency-Key, so that it can be sent again. */
  post<T>(path: string, body?: unknown, options?: EditOptions): Promise<T> {
    return this.change<T>({ method: 'POST', path, body, isRepeatable: true }, options);
  }

  change<T>(change: Change, options: EditOptions = {}): Promise<T> {
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

function changeHeaders({ method }: Change, { ifMatch, idempotencyKey }: EditOptions): Record<string, string> {
  const key = idempotencyKey ?? (method === 'POST' ? crypto.randomUUID() : undefined);
  return {
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(ifMatch === undefined ? {} : { 'if-match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch }),
  };
}
