import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, useDatabase, useProcesses } from '@carillon/testkit';
import { it } from 'vitest';
import { type NativeRedis, startRedis } from './native-redis.js';

const database = useDatabase();
const processes = useProcesses(database);

const COUNTING_WINDOW_MS = 5_000;

/**
 * Counts the commands that clients send to Redis during `COUNTING_WINDOW_MS`. Commands that a script runs inside Redis
 * do not count. The output of MONITOR is read from a plain socket, because ioredis would take its lines for replies.
 */
async function countCommands({ port }: NativeRedis): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.write('MONITOR\r\n');
  await sleep(COUNTING_WINDOW_MS);
  socket.destroy();
  return text.split('\r\n').filter((line) => /^\+\d/.test(line) && !line.includes(' lua]')).length;
}

const QUIET = { SWEEP_INTERVAL_MS: '30000', ARM_HORIZON_MS: '120000' };
const USUAL = { SWEEP_INTERVAL_MS: '5000', ARM_HORIZON_MS: '60000' };

/**
 * Waits until a process sends at least one command during `WINDOW_MS`, and at most `mostPerSecond` a second. It
 * measures again and again, because a process sends more commands while it starts.
 */
const waitUntilBelow = (server: NativeRedis, mostPerSecond: number) =>
  eventually(
    async () => {
      const perSecond = (await countCommands(server)) / (COUNTING_WINDOW_MS / 1_000);
      return perSecond > 0 && perSecond <= mostPerSecond;
    },
    { withinMs: 60_000, what: `at most ${mostPerSecond} commands a second` },
  );

it.each([
  ['REDIS_IDLE=punctual', 20, { REDIS_IDLE: 'punctual', ...USUAL }],
  ['REDIS_IDLE=economy', 4, { REDIS_IDLE: 'economy', ...USUAL }],
  ['REDIS_IDLE=economy and SWEEP_INTERVAL_MS=30000', 1.4, { REDIS_IDLE: 'economy', ...QUIET }],
])(
  'an idle worker with %s sends Redis at most %s commands a second',
  async (_, mostPerSecond, settings) => {
    const server = await startRedis();
    const env = { ...settings, REDIS_URL: `redis://127.0.0.1:${server.port}` };
    const worker = await processes.worker({ env });
    await waitUntilBelow(server, mostPerSecond);
    await worker.end();
  },
  90_000,
);

it('an idle API replica sends Redis at most one command a second', async () => {
  const server = await startRedis();
  const api = await processes.api({ env: { REDIS_URL: `redis://127.0.0.1:${server.port}` } });
  await waitUntilBelow(server, 1);
  await api.end();
}, 90_000);
