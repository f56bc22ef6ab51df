import { readConfig, startApi } from '@carillon/api';
import { ADMIN_KEY, type TestDatabase, useDatabase } from '@carillon/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of the response.
type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Json;
}

export interface CallOptions {
  body?: unknown;
  /** The API key of the request. Null sends no key. */
  key?: string | null;
  headers?: Record<string, string>;
}

export interface TestApi {
  readonly url: string;
  readonly database: TestDatabase;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Creates a key, and its project if it does not exist. */
  keyFor(options: { project?: string; scopes?: string[] }): Promise<string>;
  /** Starts another replica on the same database. */
  replica(env?: Record<string, string>): Promise<string>;
  /** Moves the clock by which cached API keys expire, in every replica. */
  passKeyTime(ms: number): void;
}

/** Starts an API replica in this process, on its own database. */
export function useApi(env: Record<string, string> = {}): TestApi {
  const database = useDatabase();
  const stops: (() => Promise<void>)[] = [];
  let url = '';
  let passedMs = 0;
  const keyClock = { now: () => performance.now() + passedMs };

  const start = async (more: Record<string, string> = {}) => {
    const config = readConfig({
      DATABASE_URL: database.url,
      REDIS_URL: database.redisUrl,
      REDIS_PREFIX: database.prefix,
      PORT: '0',
      CARILLON_ADMIN_KEY: ADMIN_KEY,
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      ALLOW_PRIVATE_TARGETS: 'true',
      // No limit: many tests send wrong keys, and all of them share one client address.
      AUTH_FAILURES_PER_MINUTE: '0',
      ...env,
      ...more,
    });
    if ('problems' in config) throw new Error(config.problems.join());
    const api = await startApi(config, pino({ level: 'silent' }), { keyClock });
    stops.push(() => api.stop());
    return api.url;
  };

  beforeAll(async () => {
    url = await start();
  });
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()));
  });

  const call: TestApi['call'] = async (method, path, { body, key = ADMIN_KEY, headers = {} } = {}) => {
    const response = await fetch(path.startsWith('http') ? path : url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = text !== '' && /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : null,
    };
  };

  return {
    get url() {
      return url;
    },
    database,
    call,
    async keyFor({ project = 'default', scopes = ['read', 'write', 'admin'] }) {
      if (project !== 'default') await call('POST', '/v1/projects', { body: { id: project } });
      const { body } = await call('POST', '/v1/keys', { body: { name: `${project}-test`, scopes, project } });
      return body.key;
    },
    replica: start,
    passKeyTime(ms) {
      passedMs += ms;
    },
  };
}

/** A target that does nothing. */
export const NOOP = { type: 'handler', name: 'noop' } as const;

let number = 0;

/** A schedule that does not fire during a test. */
export function scheduleBody(more: Record<string, unknown> = {}): Record<string, unknown> & { id: string } {
  return {
    id: `s-${++number}`,
    rule: { cron: '0 9 1 1 *' },
    target: NOOP,
    ...more,
  };
}
