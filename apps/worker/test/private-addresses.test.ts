import { createChannel, insertMessage, readChannel } from '@carillon/db';
import { eventually, useDatabase, useReceiver } from '@carillon/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { Poster } from '../src/delivery/targets/post.js';
import type { LookupOptions } from '../src/delivery/targets/vetted-lookup.js';
import { awaitRun, insertDue, useWorker } from './support.js';

const database = useDatabase();
const receiver = useReceiver();
useWorker(database, () => ({ ALLOW_PRIVATE_TARGETS: 'false' }));

const posters: Poster[] = [];
afterAll(() => Promise.all(posters.map((poster) => poster.close())));

/** Posts to a public name for which a hostile name server returns these addresses. */
async function postTo(addresses: string[], allowPrivate = false) {
  const names: LookupOptions['names'] = {
    resolve: async () => ({
      kind: 'resolved',
      addresses: addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    }),
  };
  const poster = new Poster({ allowPrivate, connectionsPerOrigin: 1, names });
  posters.push(poster);
  const url = `http://rebound.example.com:${new URL(receiver.origin).port}/status/200`;
  return poster
    .post({ projectId: 1, url, headers: {}, body: '{}', signal: AbortSignal.timeout(3_000) })
    .catch(() => 'timeout');
}

describe('Private addresses', () => {
  it.each([
    'http://127.0.0.1:PORT/status/200',
    'http://localhost:PORT/status/200',
    'http://[::ffff:127.0.0.1]:PORT/status/200',
  ])('a delivery to the private address %s fails for good, and nothing is sent', async (template) => {
    const url = template.replace('PORT', new URL(receiver.origin).port);
    const id = await insertDue(database, { target: { type: 'webhook', url, headers: {} } });
    expect(await awaitRun(database, id)).toMatchObject({
      status: 'failed',
      errorCode: 'blocked_address',
      attempt: 1,
    });
    expect(receiver.received).toHaveLength(0);
  });

  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254'],
    ['10.0.0.1'],
    ['0.0.0.0'],
    ['::ffff:7f00:1'],
  ])(
    'a webhook to a public host name that resolves to the private address %s is refused at connect time',
    async (address) => {
      expect(await postTo([address])).toMatchObject({
        kind: 'unanswered',
        isTransient: false,
        errorCode: 'blocked_address',
      });
      expect(receiver.received).toHaveLength(0);
    },
  );

  it('a webhook to a host name with a public and a private address connects only to the public address', async () => {
    const result = await postTo(['203.0.114.1', '127.0.0.1']);
    expect(result).not.toMatchObject({ kind: 'answered' });
    expect(receiver.received).toHaveLength(0);
  });

  it('if private addresses are allowed, a webhook reaches a host name with a private address, but never a link-local one', async () => {
    expect(await postTo(['127.0.0.1'], true)).toMatchObject({ kind: 'answered', answer: { status: 200 } });
    expect(await postTo(['169.254.169.254'], true)).toMatchObject({ errorCode: 'blocked_address' });
  });

  it('an alert message to a channel with a private address is refused, and nothing is sent', async () => {
    const { pool, projectId } = database;
    const before = receiver.received.length;
    const key = 'private';
    await createChannel(
      pool,
      { projectId, actor: 'test' },
      { key, type: 'webhook', isEnabled: true, settings: { url: receiver.url('status/200') }, sealed: null },
    );
    const channel = await readChannel(pool, projectId, key);
    const content = { type: 'test' as const, actor: 'test' };
    const id = await insertMessage(pool, { projectId, channelId: channel?.id ?? 0, content, now: null });
    const message = await eventually(async () => {
      const { rows } = await pool.query(
        'select sent_at, next_try_at, error from carillon.alert_messages where id = $1 and error is not null',
        [id],
      );
      return rows[0];
    });
    expect(message).toMatchObject({ sent_at: null, next_try_at: null });
    expect(message?.error).toContain('private');
    expect(receiver.received).toHaveLength(before);
  });
});
