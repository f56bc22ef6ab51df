import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@carillon/testkit';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';

type Settings = Record<string, string | number>;

interface Login {
  username?: string;
  password?: string;
}

/** A process of the program `redis-server`, on the loopback address: a Redis, or a Sentinel. */
export class NativeRedis {
  readonly #clients: Redis[] = [];
  #child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly settings: Settings,
    private readonly isSentinel: boolean,
  ) {}

  static async start(settings: Settings = {}, { isSentinel = false } = {}): Promise<NativeRedis> {
    const port = Number(settings['tls-port'] ?? settings.port ?? (await freePort()));
    const folder = mkdtempSync(join(tmpdir(), 'carillon-redis-'));
    const all: Settings = {
      port,
      bind: '127.0.0.1',
      dir: folder,
      ...(isSentinel ? {} : FORGETFUL),
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} ${value === '' ? '""' : value}\n`);
    writeFileSync(join(folder, 'redis.conf'), lines.join(''));
    const server = new NativeRedis(port, folder, settings, isSentinel);
    await server.run().catch(async (error: unknown) => {
      await server.stop();
      throw error;
    });
    return server;
  }

  /** Starts the process, also again after `kill`: with the same port and the same configuration file. */
  async run(): Promise<void> {
    const file = join(this.folder, 'redis.conf');
    const mode = this.isSentinel ? ['--sentinel'] : [];
    this.#child = spawn('redis-server', [file, ...mode], { stdio: 'ignore' });
    const { requirepass } = this.settings;
    const client = this.connect(requirepass === undefined ? {} : { password: String(requirepass) });
    await eventually(async () => (await client.ping().catch(() => null)) === 'PONG');
  }

  get child(): ChildProcess {
    return this.#child as ChildProcess;
  }

  /**
   * Opens a connection, which is closed when the server stops. With TLS, the client shows the certificate of the server.
   */
  connect(login: Login = {}): Redis {
    const file = (setting: string) => readFileSync(String(this.settings[setting]));
    const tls = this.settings['tls-port'] !== undefined && {
      tls: { ca: file('tls-ca-cert-file'), cert: file('tls-cert-file'), key: file('tls-key-file') },
    };
    const redis = new Redis(this.port, '127.0.0.1', { ...login, ...tls, maxRetriesPerRequest: null });
    redis.on('error', () => {});
    this.#clients.push(redis);
    return redis;
  }

  /**
   * Kills the process with SIGKILL. Redis loses its data, because it persists nothing. A Sentinel or a cluster node
   * keeps in a file what it knows about the other servers.
   */
  async kill(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const FORGETFUL = { save: '', appendonly: 'no' };

/** Starts a server for the calling test, and stops it when the test has finished. */
export async function startRedis(...how: Parameters<typeof NativeRedis.start>): Promise<NativeRedis> {
  const server = await NativeRedis.start(...how);
  onTestFinished(() => server.stop());
  return server;
}

interface SentinelOptions {
  sentinels: number;
  /** The password of the default user of both servers. The servers and the Sentinels also use it among themselves. */
  password: string;
  /** The password of the default user of each Sentinel. Without it, the Sentinels ask for none. */
  sentinelPassword?: string;
  /** With certificates, the servers and the Sentinels accept connections with TLS only. */
  certificates?: Certificates;
}

/** The settings of a server that accepts connections with TLS only. */
export async function tlsSettings({ ca, cert, key }: Certificates): Promise<Settings> {
  return {
    port: 0,
    'tls-port': await freePort(),
    'tls-cert-file': cert,
    'tls-key-file': key,
    'tls-ca-cert-file': ca,
    'tls-replication': 'yes',
  };
}

export interface SentinelSet {
  master: NativeRedis;
  replica: NativeRedis;
  sentinels: NativeRedis[];
}

/** The name under which the Sentinels know the master. */
export const SENTINEL_MASTER = 'carillon';

/**
 * Starts a master with a replica, and Sentinels, which replace the master if a majority of them agrees that it is down.
 */
export async function startSentinels(
  { sentinels: count, password, sentinelPassword, certificates }: SentinelOptions,
  start: typeof NativeRedis.start = startRedis,
): Promise<SentinelSet> {
  const tls = async () => (certificates ? tlsSettings(certificates) : {});
  const login = { requirepass: password, masterauth: password };
  const master = await start({ ...login, ...(await tls()) });
  const replica = await start({ ...login, ...(await tls()), replicaof: `127.0.0.1 ${master.port}` });
  await awaitFollowing(replica, { password });
  const quorum = Math.floor(count / 2) + 1;
  const settings = {
    [`sentinel monitor ${SENTINEL_MASTER} 127.0.0.1`]: `${master.port} ${quorum}`,
    [`sentinel auth-pass ${SENTINEL_MASTER}`]: password,
    [`sentinel down-after-milliseconds ${SENTINEL_MASTER}`]: 1_000,
    [`sentinel failover-timeout ${SENTINEL_MASTER}`]: 3_000,
    ...(sentinelPassword !== undefined && { requirepass: sentinelPassword }),
  };
  const sentinels = await Promise.all(
    Array.from({ length: count }, async () => start({ ...settings, ...(await tls()) }, { isSentinel: true })),
  );
  for (const sentinel of sentinels) {
    const client = sentinel.connect(sentinelPassword === undefined ? {} : { password: sentinelPassword });
    const knows = `slaves=1,sentinels=${count}`;
    await eventually(async () => (await client.info('sentinel')).includes(knows), {
      what: 'a Sentinel that knows the replica and the other Sentinels',
    });
  }
  return { master, replica, sentinels };
}

export interface ClusterNode {
  server: NativeRedis;
  busPort: number;
}

const HASH_SLOTS = 16_384;

type Start = (settings: Settings) => Promise<NativeRedis>;

async function startNode(start: Start, certificates?: Certificates): Promise<ClusterNode> {
  const busPort = await freePort();
  const settings = { 'cluster-enabled': 'yes', 'cluster-port': busPort, 'cluster-node-timeout': 2_000 };
  const tls = certificates && { ...(await tlsSettings(certificates)), 'tls-cluster': 'yes' };
  return { busPort, server: await start({ ...settings, ...tls }) };
}

/** Tells a node to join the cluster of another node. */
const meet = (node: ClusterNode, { server, busPort }: ClusterNode) =>
  node.server.connect().call('CLUSTER', 'MEET', '127.0.0.1', String(server.port), String(busPort));

async function awaitFormed(nodes: readonly ClusterNode[]): Promise<void> {
  const clients = nodes.map(({ server }) => server.connect());
  const isFormed = async (client: Redis) => {
    const info = String(await client.cluster('INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`);
  };
  await eventually(async () => (await Promise.all(clients.map(isFormed))).every(Boolean), {
    what: 'a cluster that has formed',
  });
}

/**
 * Starts a cluster of three masters. Its nodes stop when the calling test has finished, unless another `start` is
 * passed.
 */
export async function startCluster(
  start: Start = startRedis,
  certificates?: Certificates,
): Promise<ClusterNode[]> {
  const nodes = await Promise.all([0, 1, 2].map(() => startNode(start, certificates)));
  for (const [index, node] of nodes.entries()) {
    const from = Math.ceil((HASH_SLOTS / 3) * index);
    const to = Math.ceil((HASH_SLOTS / 3) * (index + 1)) - 1;
    await node.server.connect().cluster('ADDSLOTSRANGE', from, to);
    await meet(node, nodes[0] as ClusterNode);
  }
  await awaitFormed(nodes);
  return nodes;
}

/** Adds one replica for each of these masters. `nodes` are all nodes of the cluster so far. */
export async function addReplicas(
  nodes: readonly ClusterNode[],
  masters: readonly ClusterNode[],
  start: Start = startRedis,
  certificates?: Certificates,
): Promise<ClusterNode[]> {
  const replicas = await Promise.all(masters.map(() => startNode(start, certificates)));
  for (const replica of replicas) await meet(replica, nodes[0] as ClusterNode);
  await awaitFormed([...nodes, ...replicas]);
  const follow = async (replica: ClusterNode, master: ClusterNode) => {
    const masterId = String(await master.server.connect().cluster('MYID'));
    await replica.server.connect().cluster('REPLICATE', masterId);
    await awaitFollowing(replica.server);
  };
  await Promise.all(replicas.map((replica, index) => follow(replica, masters[index] as ClusterNode)));
  return replicas;
}

/** Waits until this server is a replica that is connected to its master. */
export async function awaitFollowing(server: NativeRedis, login: Login = {}): Promise<void> {
  const client = server.connect(login);
  await eventually(
    async () => (await client.info('replication').catch(() => '')).includes('master_link_status:up'),
    { what: 'a replica that follows its master' },
  );
}

/** Finds the master that holds a key, by the hash slot of the key. */
export async function masterOf(nodes: readonly ClusterNode[], key: string): Promise<ClusterNode> {
  const client = (nodes[0] as ClusterNode).server.connect();
  const slot = Number(await client.cluster('KEYSLOT', key));
  const ranges = await client.cluster('SLOTS');
  const range = ranges.find(([from, to]) => slot >= from && slot <= to);
  const port = range?.[2]?.[1];
  return nodes.find(({ server }) => server.port === port) as ClusterNode;
}

/** The paths of the files of a certificate authority, and of a certificate with its key. */
export interface Certificates {
  ca: string;
  cert: string;
  key: string;
}

/** Creates a certificate authority and a certificate for 127.0.0.1 that it has signed. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
  );
  openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=redis');
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const sign = ['x509', '-req', '-in', 'server.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'];
  openssl(...sign, '-out', 'server.crt', '-days', '2', '-extfile', 'names');
  return { ca: join(folder, 'ca.crt'), cert: join(folder, 'server.crt'), key: join(folder, 'server.key') };
}
