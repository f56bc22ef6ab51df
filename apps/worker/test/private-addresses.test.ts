import { useDatabase, useReceiver } from '@carillon/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { Poster } from '../src/targets/post.js';
import type { LookupOptions } from '../src/targets/vetted-lookup.js';
import { awaitRun, insertDue, useWorker } from './support.js';

const database = useDatabase();
const receiver = useReceiver();
useWorker(database, () => ({ ALLOW_PRIVATE_TARGETS: 'false' }));

const posters: Poster[] = [];
afterAll(() => Promise.all(posters.map((poster) => poster.close())));

/** Posts to a public name that somebody's name server answers for. */
async function postTo(addresses: string[], allowPrivate = false) {
  const resolve: NonNullable<LookupOptions['resolve']> = (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  const poster = new Poster({ allowPrivate, connectionsPerOrigin: 1, resolve });
  posters.push(poster);
  const url = `http://rebound.example.com:${new URL(receiver.origin).port}/status/200`;
  return poster
    .post({ url, headers: {}, body: '{}', signal: AbortSignal.timeout(3_000) })
    .catch(() => 'timeout');
}

describe('Where private addresses are not allowed', () => {
  it.each([
    'http://127.0.0.1:PORT/status/200',
    'http://localhost:PORT/status/200',
    'http://[::ffff:127.0.0.1]:PORT/status/200',
  ])('a delivery to %s fails for good, and nothing is sent', async (template) => {
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
  ])('a public name that resolves to %s is refused when it is connected to', async (address) => {
    expect(await postTo([address])).toMatchObject({
      kind: 'unanswered',
      isTransient: false,
      errorCode: 'blocked_address',
    });
    expect(receiver.received).toHaveLength(0);
  });

  it('of a name with a public and a private address only the public one is tried', async () => {
    const result = await postTo(['203.0.114.1', '127.0.0.1']);
    expect(result).not.toMatchObject({ kind: 'answered' });
    expect(receiver.received).toHaveLength(0);
  });

  it('the same name is reached where they are allowed, but not at a forbidden address', async () => {
    expect(await postTo(['127.0.0.1'], true)).toMatchObject({ kind: 'answered', answer: { status: 200 } });
    expect(await postTo(['169.254.169.254'], true)).toMatchObject({ errorCode: 'blocked_address' });
  });
});
