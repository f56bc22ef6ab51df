import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, insertSchedules, useDatabase, useReceiver } from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NameResolver } from '../src/delivery/names/name-resolver.js';
import { awaitRun, hasEnded, startTestWorker } from './support.js';

const database = useDatabase();
const receiver = useReceiver();

/**
 * The names for which the tests' UDP name server was queried. This server never answers a query for a name that begins
 * with "silent", and answers for "slow" names after more than a second. Names that begin with "missing" do not exist.
 * All other names resolve to 127.0.0.1.
 */
const asked: string[] = [];
const SLOW_ANSWER_MS = 1_200;
const socket = createSocket('udp4');
socket.on('message', (query, { port, address }) => {
  const { name, type, end } = readQuestion(query);
  asked.push(name);
  if (name.startsWith('silent')) return;
  const isMissing = name.startsWith('missing');
  const hasAnswer = !isMissing && type === 1;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(isMissing ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(hasAnswer ? 1 : 0, 6);
  header.fill(0, 8, 12);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  const parts = [header, query.subarray(12, end), ...(hasAnswer ? [record] : [])];
  const answer = () => socket.send(Buffer.concat(parts), port, address);
  if (name.startsWith('slow')) setTimeout(answer, SLOW_ANSWER_MS);
  else answer();
});

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

let server = '';
let files = { hosts: '', resolvConf: '' };
let folder = '';
beforeAll(async () => {
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server = `127.0.0.1:${socket.address().port}`;
  folder = await mkdtemp(join(tmpdir(), 'carillon-names-'));
  files = { hosts: join(folder, 'hosts'), resolvConf: join(folder, 'resolv.conf') };
  await writeFile(files.hosts, '10.1.2.3 db.internal db # a comment\n::5 db.internal\n');
  await writeFile(files.resolvConf, 'nameserver 127.0.0.1\nsearch cluster.test\noptions ndots:2\n');
});
afterAll(async () => {
  socket.close();
  await rm(folder, { recursive: true });
});

const resolver = () => new NameResolver({ servers: [server], files });
const addressesOf = async (names: NameResolver, name: string, projectId = 1) => {
  const resolution = await names.resolve(name, projectId);
  return resolution.kind === 'resolved'
    ? resolution.addresses.map(({ address }) => address)
    : resolution.kind;
};

describe('Names of receivers', () => {
  it('a host name in the hosts file resolves to its addresses there, and localhost resolves without a DNS query', async () => {
    const names = resolver();
    expect(await addressesOf(names, 'DB.internal')).toEqual(['10.1.2.3', '::5']);
    expect(await addressesOf(names, 'localhost')).toEqual(['127.0.0.1', '::1']);
    expect(await addressesOf(names, 'api.localhost')).toEqual(['127.0.0.1', '::1']);
    expect(asked).toEqual([]);
  });

  it('a host name without a dot is resolved in the search domains first, and an unknown host name fails', async () => {
    const names = resolver();
    expect(await addressesOf(names, 'billing')).toEqual(['127.0.0.1']);
    expect(asked).toContain('billing.cluster.test');
    expect(asked).not.toContain('billing');
    expect(await addressesOf(names, 'missing.one.test')).toBe('failed');
  });

  it('a DNS answer is cached for its TTL, and 20 concurrent lookups of one host name share a query', async () => {
    const names = resolver();
    await Promise.all(Array.from({ length: 20 }, () => addressesOf(names, 'kept.one.test')));
    await addressesOf(names, 'kept.one.test');
    // Each name is queried twice: once for IPv4 and once for IPv6.
    expect(asked.filter((name) => name === 'kept.one.test')).toHaveLength(2);
  });

  it('a host name whose DNS answer takes a second is resolved, even after many quick answers', async () => {
    const names = resolver();
    for (let i = 0; i < 100; i++) await addressesOf(names, `quick-${i}.one.test`);
    expect(await addressesOf(names, 'slow.one.test')).toEqual(['127.0.0.1']);
  });

  it('a project with too many unanswered DNS lookups is refused further ones, and lookups of another project succeed meanwhile', async () => {
    const names = resolver();
    const silent: Promise<{ kind: string }>[] = [];
    let busy = 0;
    // The names are queried in groups, because the socket of the name server would drop a burst of several hundred.
    while (busy === 0) {
      const group = Array.from({ length: 40 }, (_, i) => `silent-${silent.length + i}.one.test`);
      const waiting = group.map((name) => names.resolve(name, 1));
      for (const each of waiting) each.then(({ kind }) => (busy += kind === 'busy' ? 1 : 0));
      silent.push(...waiting);
      await eventually(() => busy > 0 || group.every((name) => asked.includes(name)));
    }
    for (let i = 0; i < 30; i++)
      expect(await addressesOf(names, `other-${i}.one.test`, 2)).toEqual(['127.0.0.1']);
    // One project takes at most three quarters of the 256 lookups that may be under way at once.
    expect(silent.length - busy).toBeLessThanOrEqual(192);
    names.close();
    await Promise.all(silent);
  });

  it('60 webhooks to host names that never resolve do not make webhooks of another project fail', async () => {
    await database.pool.query(`insert into carillon.projects (key, name) values ('attacker', 'attacker')`);
    const worker = await startTestWorker(database, { DNS_SERVERS: server });
    const port = new URL(receiver.origin).port;
    const insert = (projectId: number, count: number, name: string) =>
      insertSchedules(
        database,
        Array.from({ length: count }, (_, i) => ({
          rule: { at: new Date().toISOString() },
          target: {
            type: 'webhook' as const,
            url: `http://${name}-${i}.two.test:${port}/status/200`,
            headers: {},
          },
          retry: { maxAttempts: 1 },
        })),
        { projectId },
      );
    try {
      await insert(2, 60, 'silent');
      await eventually(() => asked.filter((name) => /^silent-.*two/.test(name)).length > 100);
      for (const id of await insert(1, 10, 'fine'))
        expect(await awaitRun(database, id, hasEnded)).toMatchObject({ status: 'succeeded', attempt: 1 });
    } finally {
      await worker.stop();
    }
  });
});
