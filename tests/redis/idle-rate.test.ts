import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, useDatabase, useProcesses } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { type NativeRedis, startRedis } from './native-redis.js';

const database = useDatabase();
const processes = useProcesses(database);

const WINDOW_MS = 5_000;

/**
 * Counts the commands that clients send to Redis during `WINDOW_MS`. Commands that a script runs inside Redis do not
 * count. The output of MONITOR is read from a plain socket, because ioredis would take its lines for replies.
 */
async function countCommands({ port }: NativeRedis): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.write('MONITOR\r\n');
  await sleep(WINDOW_MS);
  socket.destroy();
  return text.split('\r\n').filter((line) => /^\+\d/.test(line) && !line.includes(' lua]')).length;
}

it.each([
  ['punctual', 20],
  ['economy', 4],
])(
  'an idle worker with REDIS_IDLE=%s sends Redis at most %i commands a second',
  async (mode, mostPerSecond) => {
    const server = await startRedis();
    const REDIS_URL = `redis://127.0.0.1:${server.port}`;
    const env = { REDIS_IDLE: mode, REDIS_URL, SWEEP_INTERVAL_MS: '5000', ARM_HORIZON_MS: '60000' };
    const worker = await processes.worker({ env });
    // The worker sends more commands while it starts, so the first counts may be too high.
    const perSecond = await eventually(
      async () => {
        const rate = (await countCommands(server)) / (WINDOW_MS / 1_000);
        return rate <= mostPerSecond ? rate : null;
      },
      { withinMs: 30_000, what: `at most ${mostPerSecond} commands a second` },
    );
    expect(perSecond).toBeGreaterThan(0);
    await worker.end();
  },
  60_000,
);
