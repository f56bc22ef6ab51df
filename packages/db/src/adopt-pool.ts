import pg from 'pg';

interface AdoptOptions {
  types: pg.CustomTypesConfig;
  queryTimeoutMs: number;
  /**
   * Prepares a client for our statements, for example for another schema. It receives the proxy, not the client itself.
   */
  onConnect: (client: pg.PoolClient) => void;
}

/**
 * Wraps a pool that belongs to the user's program. Its connections keep the program's settings: our types and time-outs
 * are sent with each statement, and `end` leaves the pool open.
 */
export function adoptPool(pool: pg.Pool, { types, queryTimeoutMs, onConnect }: AdoptOptions): pg.Pool {
  const withOurSettings = (statement: unknown, values?: unknown): object =>
    typeof statement === 'string'
      ? { text: statement, ...(values === undefined ? {} : { values }), types, query_timeout: queryTimeoutMs }
      : { types, query_timeout: queryTimeoutMs, ...(statement as object) };

  const connect = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    const query = (statement: unknown, values?: unknown) =>
      client.query(withOurSettings(statement, values) as pg.QueryConfig);
    const own: Record<PropertyKey, unknown> = { query };
    const view = new Proxy(client, {
      get(target, key) {
        if (key in own) return own[key];
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
      // Properties that our code sets stay on the proxy, so the user's client is not changed.
      set(_target, key, value) {
        own[key] = value;
        return true;
      },
      defineProperty(_target, key, { value }) {
        own[key] = value;
        return true;
      },
    });
    onConnect(view);
    return view;
  };

  // `inTransaction` tests for our own `pg.Pool` class, and the user's program may have loaded another copy of `pg`.
  return Object.assign(Object.create(pg.Pool.prototype) as pg.Pool, {
    options: pool.options,
    connect,
    query: async (statement: unknown, values?: unknown) => {
      const client = await connect();
      try {
        return await client.query(statement as pg.QueryConfig, values as unknown[]);
      } finally {
        client.release();
      }
    },
    end: async () => {},
  });
}
