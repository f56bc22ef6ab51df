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

/** Starts a cluster of three masters; returns their ports. */
export async function startCluster(): Promise<number[]> {
  const nodes = await Promise.all(
    [0, 1, 2].map(async () => {
      const busPort = await freePort();
      const settings = { 'cluster-enabled': 'yes', 'cluster-port': busPort, 'cluster-node-timeout': 2_000 };
      return { busPort, ...(await startRedis(settings)) };
    }),
  );
  const clients = nodes.map((node) => node.connect());
  const [first] = nodes;
  const SLOTS = 16_384;
  for (const [index, client] of clients.entries()) {
    const from = Math.ceil((SLOTS / 3) * index);
    await client.cluster('ADDSLOTSRANGE', from, Math.ceil((SLOTS / 3) * (index + 1)) - 1);
    await client.call('CLUSTER', 'MEET', '127.0.0.1', String(first?.port), String(first?.busPort));
  }
  const isFormed = async (client: Redis) => {
    const info = String(await client.cluster('INFO'));
    return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3');
  };
  await eventually(async () => (await Promise.all(clients.map(isFormed))).every(Boolean), {
    what: 'a cluster that has formed',
  });
  return nodes.map(({ port }) => port);
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
