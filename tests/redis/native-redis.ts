import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

export interface NativeRedis {
  port: number;
  child: ChildProcess;
  /** Opens a connection, which is closed when the test ends. */
  connect(login?: Login): Redis;
}

/** Starts Debian's redis-server on the loopback address for the calling test, and kills it by its pid afterwards. */
export async function startRedis(settings: Settings = {}, { isSentinel = false } = {}): Promise<NativeRedis> {
  const port = Number(settings['tls-port'] ?? settings.port ?? (await freePort()));
  const folder = mkdtempSync(join(tmpdir(), 'carillon-redis-'));
  const all: Settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    ...(isSentinel ? {} : FORGETFUL),
    ...settings,
  };
  const file = join(folder, 'redis.conf');
  writeFileSync(
    file,
    Object.entries(all)
      .map(([name, value]) => `${name} ${value === '' ? '""' : value}\n`)
      .join(''),
  );
  const child = spawn('redis-server', [file, ...(isSentinel ? ['--sentinel'] : [])], { stdio: 'ignore' });
  onTestFinished(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  const connect = (login: Login = {}) => {
    const redis = new Redis(port, '127.0.0.1', { ...login, maxRetriesPerRequest: null });
    redis.on('error', () => {});
    onTestFinished(() => redis.disconnect());
    return redis;
  };
  const isTls = settings['tls-port'] !== undefined;
  const password = settings.requirepass === undefined ? {} : { password: String(settings.requirepass) };
  if (!isTls) await eventually(async () => (await connect(password).ping()) === 'PONG');
  return { port, child, connect };
}

const FORGETFUL = { save: '', appendonly: 'no' };

export interface ClusterNode extends NativeRedis {
  busPort: number;
}

const SLOTS = 16_384;

async function startNode(): Promise<ClusterNode> {
  const busPort = await freePort();
  const settings = { 'cluster-enabled': 'yes', 'cluster-port': busPort, 'cluster-node-timeout': 2_000 };
  return { busPort, ...(await startRedis(settings)) };
}

/** Tells a node to join the cluster of another one. */
const meet = (node: ClusterNode, { port, busPort }: ClusterNode) =>
  node.connect().call('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort));

async function awaitFormed(nodes: readonly ClusterNode[]): Promise<void> {
  const clients = nodes.map((node) => node.connect());
  const isFormed = async (client: Redis) => {
    const info = String(await client.cluster('INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`);
  };
  await eventually(async () => (await Promise.all(clients.map(isFormed))).every(Boolean), {
    what: 'a cluster that has formed',
  });
}

/** A cluster of three masters. */
export async function startCluster(): Promise<ClusterNode[]> {
  const nodes = await Promise.all([0, 1, 2].map(startNode));
  for (const [index, node] of nodes.entries()) {
    const from = Math.ceil((SLOTS / 3) * index);
    await node.connect().cluster('ADDSLOTSRANGE', from, Math.ceil((SLOTS / 3) * (index + 1)) - 1);
    await meet(node, nodes[0] as ClusterNode);
  }
  await awaitFormed(nodes);
  return nodes;
}

/** Adds a replica of the master that holds a key. Returns the master and the replica. */
export async function addReplica(
  nodes: readonly ClusterNode[],
  key: string,
): Promise<{ master: ClusterNode; replica: ClusterNode }> {
  const slot = Number(await (nodes[0] as ClusterNode).connect().cluster('KEYSLOT', key));
  const master = nodes[Math.floor((slot / SLOTS) * nodes.length)] as ClusterNode;
  const replica = await startNode();
  await meet(replica, master);
  await awaitFormed([...nodes, replica]);
  const onReplica = replica.connect();
  await onReplica.cluster('REPLICATE', String(await master.connect().cluster('MYID')));
  await eventually(async () => (await onReplica.info('replication')).includes('master_link_status:up'), {
    what: 'a replica that follows its master',
  });
  return { master, replica };
}

/**
 * Creates a certificate authority and a certificate for 127.0.0.1 that it has signed. Returns the paths of the files.
 */
export function makeCertificates(): { ca: string; cert: string; key: string } {
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
