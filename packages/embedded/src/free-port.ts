import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';

const LOWEST_PORT = 10_240;
/** The first ephemeral port of macOS. It is assumed if the system does not tell its range. */
const USUAL_EPHEMERAL_FROM = 49_152;
const PORTS_TRIED = 20;

/**
 * A port of 127.0.0.1 that is free now. Another process may take it before the caller does, so a start on it can fail.
 *
 * The port lies below the ephemeral range, from which the system takes the local ports of outgoing connections. A
 * server that crashes is started again on the same port. If that port were an ephemeral one, a connection could have
 * taken it meanwhile, and the server could not start until that connection ends.
 */
export async function freePort(): Promise<number> {
  const ephemeralFrom = await firstEphemeralPort();
  if (ephemeralFrom > LOWEST_PORT) {
    for (let tries = 0; tries < PORTS_TRIED; tries++) {
      const port = await listenBriefly(randomInt(LOWEST_PORT, ephemeralFrom)).catch(() => null);
      if (port !== null) return port;
    }
  }
  return listenBriefly(0);
}

/** Linux tells the first port of its ephemeral range in a file. */
async function firstEphemeralPort(): Promise<number> {
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '');
  return Number.parseInt(range, 10) || USUAL_EPHEMERAL_FROM;
}

/** Listens on the port for a moment (0: on any free port). Resolves to the port once it is free again. */
function listenBriefly(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

function isPortTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Starts a server on a free port. If another process takes that port first, it tries another free port. */
export async function startOnFreePort<T>(
  start: (port: number) => Promise<T>,
): Promise<{ port: number; started: T }> {
  for (let triesLeft = 3; ; triesLeft--) {
    const port = await freePort();
    try {
      return { port, started: await start(port) };
    } catch (error) {
      if (triesLeft === 1 || !(await isPortTaken(port))) throw error;
    }
  }
}
