import { connect } from 'node:net';
import { eventually } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { useApi } from './use-api.js';

const api = useApi({ REQUEST_TIMEOUT_MS: '1000', MAX_CONNECTIONS: '30' });

/** Opens a connection, sends the start of a request, and then goes on byte by byte. */
function trickle(beginning: string, drop: string) {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  const state = { isClosed: false, said: '' };
  const timer = setInterval(() => socket.write(drop), 100);
  socket.on('connect', () => socket.write(beginning));
  socket.on('data', (chunk) => {
    state.said += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    clearInterval(timer);
    state.isClosed = true;
  });
  return { state, end: () => socket.destroy() };
}

const POST =
  'POST /v1/schedules HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n';

describe('Slow clients', () => {
  it.each([
    ['body', POST, ' '],
    ['header', 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'x'],
  ])(
    'the API closes the connection of a request whose %s arrives too slowly',
    async (_part, beginning, drop) => {
      const { state } = trickle(beginning, drop);
      await eventually(() => state.isClosed, { withinMs: 6_000 });
    },
  );

  it('the API closes connections beyond its limit at once, and accepts new ones after others have closed', async () => {
    const silent = Array.from({ length: 40 }, () => trickle('', ''));
    await eventually(() => silent.filter(({ state }) => state.isClosed).length >= 10, { withinMs: 900 });
    for (const { end } of silent) end();
    await eventually(async () => {
      const answer = await api.call('GET', '/health/live', { key: null }).catch(() => null);
      return answer?.status === 200;
    });
  });

  it('if a request has arrived in time, the API does not close its connection while it prepares the response', async () => {
    const client = await api.database.pool.connect();
    await client.query('begin; lock table carillon.templates in access exclusive mode');
    setTimeout(() => client.query('rollback').then(() => client.release()), 4_000);
    expect((await api.call('GET', '/v1/templates')).status).toBe(200);
  });
});
