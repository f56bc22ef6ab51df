import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type Servers, startServers } from '@carillon/embedded';
import pg from 'pg';
import { POSTGRES_FOLDER } from './chosen-servers.js';
import { eventually } from './eventually.js';
import { TcpProxy } from './tcp-proxy.js';

/** Settings that a primary needs for a standby. The sizes are small, so that its files are copied quickly. */
const SETTINGS = { wal_level: 'replica', max_wal_senders: 4, max_wal_size: '128MB', shared_buffers: '64MB' };
const log = { info: () => undefined, warn: () => undefined };

/** A URL to which nothing connects. `startServers` requires a Redis URL, but these tests start only a Postgres. */
const NO_REDIS = 'redis://127.0.0.1:1';

interface Node {
  servers: Servers;
  url: string;
}

/**
 * A Postgres that can be replaced while clients use it: by a standby that lacks the last transactions, or by a backup.
 * Clients connect through a proxy, which forwards them to the current server.
 */
export class ReplicatedPostgres {
  #count = 1;

  private constructor(
    private readonly home: string,
    private primary: Node,
    private readonly front: TcpProxy,
  ) {}

  static async start(): Promise<ReplicatedPostgres> {
    const home = await mkdtemp(join(tmpdir(), `carillon-test-${userInfo().uid}-replicated-`));
    const primary = await startNode(join(home, 'node-0'), SETTINGS);
    return new ReplicatedPostgres(home, primary, await TcpProxy.before(primary.url));
  }

  get url(): string {
    return this.front.url(this.primary.url);
  }

  /** Starts a standby that follows the primary asynchronously. */
  async startStandby(): Promise<Standby> {
    const home = await this.#copyPrimary();
    const stream = await TcpProxy.before(this.primary.url);
    const { hostname, port, username, password } = new URL(stream.url(this.primary.url));
    await writeFile(join(home, 'postgres', 'standby.signal'), '');
    const node = await startNode(home, {
      ...SETTINGS,
      hot_standby: 'on',
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
      wal_retrieve_retry_interval: '100ms',
    });
    return new Standby(node, stream);
  }

  /** Copies the primary's files while it serves; returns the folder, for `restore`. */
  backUp(): Promise<string> {
    return this.#copyPrimary();
  }

  /** Kills the primary. The standby then serves in its place, with only the transactions that it has received. */
  async failOverTo(standby: Standby): Promise<void> {
    const dead = this.primary;
    await killPostgres(dead);
    this.front.refuse();
    await standby.promote();
    this.#lead(standby.node);
    await dead.servers.stop();
  }

  /** Stops the primary. The backup then serves in its place. */
  async restore(backup: string): Promise<void> {
    this.front.refuse();
    await this.primary.servers.stop();
    this.#lead(await startNode(backup, SETTINGS));
  }

  async stop(): Promise<void> {
    await this.front.close();
    await this.primary.servers.stop();
    await rm(this.home, { recursive: true, force: true });
  }

  #lead(node: Node): void {
    this.primary = node;
    this.front.leadTo(node.url);
    this.front.pass();
  }

  /**
   * Makes a base backup by the low-level functions of Postgres, because the embedded Postgres comes without
   * pg_basebackup.
   */
  async #copyPrimary(): Promise<string> {
    const { paths } = this.primary.servers;
    const home = join(this.home, `node-${this.#count++}`);
    const data = join(home, 'postgres');
    await mkdir(home);
    await cp(paths.postgresPassword, join(home, 'postgres.password'));
    const label = await withClient(this.primary.url, async (client) => {
      await client.query(`select pg_backup_start('copy', true)`);
      await copyFolder(paths.postgresData, data, ['pg_wal', 'postmaster.pid', 'postmaster.opts']);
      const { rows } = await client.query<{ labelfile: string }>(
        'select labelfile from pg_backup_stop(false)',
      );
      return rows[0]?.labelfile ?? '';
    });
    await writeFile(join(data, 'backup_label'), label);
    // The write-ahead log is copied last, so that it has everything up to the end of the backup.
    await copyFolder(join(paths.postgresData, 'pg_wal'), join(data, 'pg_wal'), []);
    return home;
  }
}

/** A server that follows the primary, until it is cut off or promoted. */
export class Standby {
  constructor(
    readonly node: Node,
    private readonly stream: TcpProxy,
  ) {}

  /** Waits until the standby has everything that the primary has committed before this call. */
  async catchUp(primary: pg.Pool): Promise<void> {
    const { rows } = await primary.query<{ at: string }>('select pg_current_wal_flush_lsn()::text as at');
    await withClient(this.node.url, (client) =>
      eventually(
        async () => {
          const replayed = await client.query('select where pg_last_wal_replay_lsn() >= $1::pg_lsn', [
            rows[0]?.at,
          ]);
          return replayed.rowCount === 1;
        },
        { what: 'the standby' },
      ),
    );
  }

  /** Cuts the replication, so that later transactions of the primary do not reach the standby. */
  cutOff(): void {
    this.stream.refuse();
  }

  async promote(): Promise<void> {
    await withClient(this.node.url, (client) => client.query('select pg_promote(true, 60)'));
    await this.stream.close();
  }
}

async function startNode(home: string, postgresSettings: Record<string, string | number>): Promise<Node> {
  const servers = await startServers({
    home,
    redisUrl: NO_REDIS,
    postgresSettings,
    postgresFolder: POSTGRES_FOLDER,
    log,
  });
  return { servers, url: servers.databaseUrl };
}

async function killPostgres({ servers }: Node): Promise<void> {
  const pid = await readFile(join(servers.paths.postgresData, 'postmaster.pid'), 'utf8');
  process.kill(Number.parseInt(pid, 10), 'SIGKILL');
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Copies a folder while a server changes or deletes its files, as the copy of a running Postgres must. */
async function copyFolder(from: string, to: string, without: readonly string[]): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (without.includes(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target, []);
    else
      await cp(source, target, { preserveTimestamps: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
  }
}
