import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface Address {
  port: number;
  password: string;
}

/** True if a Redis on this port accepts the password and answers PING. */
function answersPing({ port, password }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 2_000 });
    const answer = (pong: boolean) => {
      socket.destroy();
      resolve(pong);
    };
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
      if (said.includes('+PONG')) answer(true);
      else if (said.includes('-')) answer(false);
    });
    for (const event of ['error', 'close', 'timeout']) socket.on(event, () => answer(false));
  });
}

/** Waits until the server answers. Returns false if `givenUp` returns true before that. */
export async function waitForPong(address: Address, givenUp: () => boolean): Promise<boolean> {
  while (!givenUp()) {
    if (await answersPing(address)) return true;
    await sleep(20);
  }
  return false;
}
