import pg from 'pg';

const CHANNEL = 'carillon_requests';
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5_000;
/**
 * How often the connection is tested by a query, and how long the answer may take. A server that vanished sends no
 * error.
 */
const PING_EVERY_MS = 15_000;
const PING_TIMEOUT_MS = 5_000;

interface ListenOptions {
  /** A connection to Postgres itself: a pooler in transaction mode does not pass notifications on. */
  connection: pg.ClientConfig;
  /**
   * Called for each notification, and after each connect, because notifications that were sent while there was no
   * connection are lost.
   */
  onRequest: () => void;
  onError: (error: Error) => void;
}

/**
 * Calls `onRequest` after each commit of a transaction that has called one of Carillon's SQL functions. If the
 * connection is lost, it is opened again, and `onRequest` is called for the requests that were committed meanwhile.
 */
export function listenForRequests({ connection, onRequest, onError }: ListenOptions): {
  close(): Promise<void>;
} {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let delayMs = FIRST_DELAY_MS;

  const lose = (lost: pg.Client, error: Error) => {
    if (client !== lost) return;
    client = null;
    onError(error);
    lost.end().catch(() => {});
    if (isClosed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void connect(), delayMs);
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  };
  const ping = async (opened: pg.Client) => {
    try {
      await opened.query('select 1');
      if (client === opened) timer = setTimeout(() => void ping(opened), PING_EVERY_MS);
    } catch (error) {
      lose(opened, error as Error);
    }
  };
  const connect = async () => {
    const opened = new pg.Client({
      ...connection,
      application_name: 'carillon-listener',
      connectionTimeoutMillis: PING_TIMEOUT_MS,
      query_timeout: PING_TIMEOUT_MS,
      keepAlive: true,
    });
    client = opened;
    opened.on('error', (error) => lose(opened, error));
    opened.on('end', () => lose(opened, new Error('the connection that listens for requests ended')));
    opened.on('notification', onRequest);
    try {
      await opened.connect();
      await opened.query(`listen ${CHANNEL}`);
      delayMs = FIRST_DELAY_MS;
      onRequest();
      await ping(opened);
    } catch (error) {
      lose(opened, error as Error);
    }
  };

  void connect();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const open = client;
      client = null;
      await open?.end().catch(() => {});
    },
  };
}
