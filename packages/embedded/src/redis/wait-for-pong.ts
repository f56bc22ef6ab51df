import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whether a Redis on this port answers PING. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 2_000 });
    const answer = (pong: boolean) => {
      socket.destroy();
      resolve(pong);
    };
    socket.on('connect', () => socket.write('PING\r\n'));
    socket.on('data', (chunk) => answer(chunk.toString('latin1').startsWith('+PONG')));
    for (const event of ['error', 'close', 'timeout']) socket.on(event, () => answer(false));
  });
}

/** Waits until the server answers, or until there is no more point in waiting. */
export async function waitForPong(port: number, givenUp: () => boolean): Promise<boolean> {
  while (!givenUp()) {
    if (await answersPing(port)) return true;
    await sleep(20);
  }
  return false;
}
