import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { eventually } from '@carillon/testkit';
import type { Stage } from './stage.js';

/** One way to hurt the other projects of an installation. */
export interface Attack {
  /** The name of the attack in the table of docs/security.md. */
  name: string;
  /**
   * True if the effect of the attack outlasts the attack, because its runs stay open. The next attack then needs
   * another installation.
   */
  isLasting: boolean;
  /** Resolves when the attack is under way. Returns the function that ends it. */
  begin(stage: Stage): Promise<() => void>;
}

const nothing = () => {};
const inSeconds = (seconds: number) => ({ at: new Date(Date.now() + seconds * 1_000).toISOString() });
const noop = { type: 'handler', name: 'noop' };

/** Creates schedules of the attacker in bulk calls that stay below the size limit of a request body. */
async function createMany(stage: Stage, count: number, toItem: (i: number) => object): Promise<void> {
  const perCall = Math.min(5_000, Math.floor(10_000_000 / JSON.stringify(toItem(0)).length));
  for (let from = 0; from < count; from += perCall) {
    const items = Array.from({ length: Math.min(perCall, count - from) }, (_, i) => toItem(from + i));
    const { status, body } = await stage.attack('POST', '/v1/schedules/bulk', { items });
    if (status !== 200 || body.refused > 0)
      throw new Error(`refused: ${status} ${JSON.stringify(body).slice(0, 300)}`);
  }
}

/** A webhook to a receiver that hangs, on one of many origins. */
const hanging = ({ receivers }: Stage, i: number) => ({
  type: 'webhook',
  url: `${receivers.origins[i % receivers.origins.length]}/hang/${i}`,
});

/** Repeats an action in several parallel loops. Returns the function that stops them. */
function flood(lanes: number, act: () => Promise<unknown>): () => void {
  let isOver = false;
  const lane = async () => {
    while (!isOver) await act().catch(() => new Promise((resolve) => setTimeout(resolve, 10)));
  };
  for (let i = 0; i < lanes; i++) lane();
  return () => {
    isOver = true;
  };
}

/** The API counts wrong keys per client address, so the attacker uses another address than the other project. */
const elsewhere = new Agent({ localAddress: '127.0.0.2', keepAlive: true });

async function getFromElsewhere(url: string, headers: Record<string, string> = {}): Promise<void> {
  const [response] = await once(get(url, { agent: elsewhere, headers }), 'response');
  response.resume();
  await once(response, 'end');
}

export const ATTACKS: Attack[] = [
  {
    name: 'receivers that hang, on many origins, with the longest time-out',
    isLasting: true,
    async begin(stage) {
      const count = stage.scale.isLarge ? 10_000 : 300;
      await createMany(stage, count, (i) => ({
        rule: inSeconds(1),
        target: hanging(stage, i),
        timeout: 'PT15M',
      }));
      await eventually(() => stage.receivers.hanging >= 40, { withinMs: 60_000, what: 'the attack' });
      return nothing;
    },
  },
  {
    name: 'large payloads to receivers that hang',
    isLasting: true,
    async begin(stage) {
      const payload = 'x'.repeat(200_000);
      for (let call = 0; call < (stage.scale.isLarge ? 40 : 2); call++) {
        const items = Array.from({ length: 50 }, (_, i) => ({
          rule: inSeconds(2),
          target: hanging(stage, i),
          timeout: 'PT15M',
          payload,
        }));
        await stage.attack('POST', '/v1/schedules/bulk', { items });
      }
      await eventually(() => stage.receivers.hanging >= 20, { withinMs: 60_000, what: 'the attack' });
      return nothing;
    },
  },
  {
    name: 'webhooks to names that never resolve',
    isLasting: true,
    async begin(stage) {
      await createMany(stage, stage.scale.isLarge ? 5_000 : 200, (i) => ({
        rule: inSeconds(1),
        target: { type: 'webhook', url: `http://n${i}.attack.test/` },
      }));
      await eventually(async () => (await stage.inFlightOf('attacker')) > 0, { what: 'the attack' });
      return nothing;
    },
  },
  {
    name: 'triggers, backfills and a bulk of costly rules at once',
    isLasting: true,
    async begin(stage) {
      const lanes = stage.scale.isLarge ? 10 : 4;
      const ids = Array.from({ length: lanes }, (_, i) => `backfilled-${i}`);
      for (const id of ids)
        await stage.attack('POST', '/v1/schedules', { id, rule: { every: 'PT1M' }, target: noop });
      const range = {
        from: '2030-01-01T00:00:00Z',
        to: stage.scale.isLarge ? '2030-01-07T00:00:00Z' : '2030-01-01T08:00:00Z',
      };
      const costly = Array.from({ length: stage.scale.isLarge ? 5_000 : 100 }, (_, i) => ({
        rule: { rrule: `FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=${i % 24}` },
        target: noop,
      }));
      const endBulk = flood(2, () => stage.attack('POST', '/v1/schedules/bulk', { items: costly }));
      await Promise.all(ids.map((id) => stage.attack('POST', `/v1/schedules/${id}/backfill`, range)));
      return endBulk;
    },
  },
  {
    name: 'receipts that hang',
    isLasting: true,
    async begin(stage) {
      await createMany(stage, stage.scale.isLarge ? 5_000 : 300, (i) => ({
        rule: inSeconds(1),
        target: noop,
        onSuccess: hanging(stage, i).url,
      }));
      await eventually(() => stage.receivers.hanging >= 40, { withinMs: 60_000, what: 'the attack' });
      return nothing;
    },
  },
  {
    name: 'event streams that are opened and never read',
    isLasting: false,
    async begin(stage) {
      const { hostname, port } = new URL(stage.api.url);
      const sockets: Socket[] = [];
      for (let i = 0; i < (stage.scale.isLarge ? 600 : 30); i++) {
        const socket = connect(Number(port), hostname);
        socket.on('error', nothing);
        socket.pause();
        socket.write(
          `GET /v1/events HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${stage.keys.attacker}\r\nlast-event-id: 0-0\r\n\r\n`,
        );
        sockets.push(socket);
      }
      return () => {
        for (const socket of sockets) socket.destroy();
      };
    },
  },
  {
    name: 'floods without a key: metrics, wrong keys, bodies that trickle',
    isLasting: false,
    async begin(stage) {
      const { url } = stage.api;
      const { hostname, port } = new URL(url);
      const lanes = stage.scale.isLarge ? 16 : 4;
      const endMetrics = flood(lanes, () => getFromElsewhere(`${url}/metrics`));
      const headers = { authorization: 'Bearer ck_wrong_key_0123456789012345' };
      const endKeys = flood(lanes, () => getFromElsewhere(`${url}/v1/schedules`, headers));
      const sockets = Array.from({ length: stage.scale.isLarge ? 300 : 30 }, () => {
        const socket = connect(Number(port), hostname);
        socket.on('error', nothing);
        socket.write(`POST /v1/schedules HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: 1000\r\n\r\n{`);
        return socket;
      });
      return () => {
        endMetrics();
        endKeys();
        for (const socket of sockets) socket.destroy();
      };
    },
  },
  {
    name: 'failed runs that are replayed without end',
    isLasting: false,
    async begin(stage) {
      const count = stage.scale.isLarge ? 200 : 10;
      await createMany(stage, count, (i) => ({
        id: `replayed-${i}`,
        rule: inSeconds(1),
        target: { type: 'webhook', url: 'http://127.0.0.1:1/' },
        retry: { maxAttempts: 1 },
      }));
      const failed = await eventually(
        async () => {
          const { body } = await stage.attack('GET', `/v1/runs?status=failed&limit=${count}`);
          return body.items.length > 0 ? (body.items as { id: string }[]) : null;
        },
        { withinMs: 60_000, what: 'the attack' },
      );
      let next = 0;
      return flood(4, () => stage.attack('POST', `/v1/runs/${failed[next++ % failed.length]?.id}/replay`));
    },
  },
  {
    name: 'jobs for queues of Carillon and of other projects',
    isLasting: false,
    async begin(stage) {
      const schedule = (queue: string) => ({ rule: { in: 'PT1S' }, target: { type: 'queue', queue } });
      const { attacker, other } = stage.projects;
      for (const queue of ['bells', 'ticks', 'schedule-requests', `${other}.orders`]) {
        const { status } = await stage.attack('POST', '/v1/schedules', schedule(queue));
        if (status !== 400) throw new Error(`the queue ${queue} was accepted: ${status}`);
      }
      const payload = 'x'.repeat(100_000);
      await createMany(stage, stage.scale.isLarge ? 500 : 20, () => ({
        ...schedule(`${attacker}.hoard`),
        payload,
      }));
      return nothing;
    },
  },
  {
    name: 'commands to Redis without its password',
    isLasting: false,
    async begin(stage) {
      const { hostname, port } = new URL(stage.database.redisUrl);
      const answer = async (command: string) => {
        const socket = connect(Number(port), hostname);
        socket.write(`${command}\r\n`);
        const [data] = await once(socket, 'data');
        socket.destroy();
        return String(data);
      };
      if (!(await answer('FLUSHALL')).startsWith('-NOAUTH'))
        throw new Error('Redis takes commands from anybody');
      return flood(stage.scale.isLarge ? 16 : 4, () => answer('PING'));
    },
  },
  {
    name: 'handlers and calls that the project may not use',
    isLasting: false,
    async begin(stage) {
      const refused = async (target: object) => {
        const { status } = await stage.attack('POST', '/v1/schedules', { rule: { in: 'PT1S' }, target });
        if (status !== 400 && status !== 429) throw new Error(`${JSON.stringify(target)}: ${status}`);
      };
      await refused({ type: 'call', number: '+15550100' });
      await refused({ type: 'handler', name: 'bill-customers' });
      return flood(4, () => refused({ type: 'handler', name: 'bill-customers' }));
    },
  },
  {
    name: 'reading the headers of targets',
    isLasting: false,
    async begin(stage) {
      const secret = 'Bearer 0123456789-of-the-receiver';
      await createMany(stage, stage.scale.isLarge ? 1_000 : 20, () => ({
        rule: { cron: '0 9 1 1 *' },
        target: {
          type: 'webhook',
          url: `${stage.receivers.origins[0]}/ok`,
          headers: { authorization: secret },
        },
      }));
      const paths = ['/v1/schedules?limit=1000', '/v1/audit?limit=1000'];
      for (const path of paths) {
        const { status, body } = await stage.attack('GET', path);
        if (status !== 200 || JSON.stringify(body).includes(secret))
          throw new Error(`${path} shows a header`);
      }
      let next = 0;
      return flood(2, () => stage.attack('GET', paths[next++ % paths.length] as string));
    },
  },
];
