import pg from 'pg';

interface AdoptOptions {
  types: pg.CustomTypesConfig;
  queryTimeoutMs: number;
  /**
   * Called each time a client is taken from the pool, to prepare it for our statements, for example to use another
   * schema. The argument is our proxy of the client, not the client itself.
   */
  onConnect: (client: pg.PoolClient) => void;
  /** Called the first time that a client is taken from the pool. If it fails, the client is closed. */
  verify?: ((client: pg.PoolClient) => Promise<unknown>) | undefined;
}

/**
 * Wraps a pool that belongs to the user's program, so that Carillon uses its connections. The program's settings stay
 * unchanged, because our type parsers and time-outs are passed with each statement. `end` does not close the pool.
 */
export function adoptPool(
  pool: pg.Pool,
  { types, queryTimeoutMs, onConnect, verify }: AdoptOptions,
): pg.Pool {
  const verified = new WeakSet<pg.PoolClient>();
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
      // Properties that our code sets are stored in the proxy, so that the user's client stays unchanged.
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
    if (verify && !verified.has(client)) {
      await verify(view).catch((error: Error) => {
        client.release(error);
        throw error;
      });
      verified.add(client);
    }
    return view;
  };

  // The object inherits from our own `pg.Pool`, because `inTransaction` tests for this class. The user's program may
  // have loaded another copy of `pg`, whose pools would fail the test. `/metrics` reads the three counts. They are
  // taken from the given pool, because the getters of the class read fields that only its constructor sets.
  const counts = {
    totalCount: { get: () => pool.totalCount },
    idleCount: { get: () => pool.idleCount },
    waitingCount: { get: () => pool.waitingCount },
  };
  return Object.assign(Object.create(pg.Pool.prototype, counts) as pg.Pool, {
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
