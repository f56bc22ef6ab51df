import { connect, createServer } from 'node:net';

/** A port of 127.0.0.1 that is free now. Another process may still take it first, so starting on it can fail. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
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

/** Starts a server on a free port, and tries another port if that one was taken meanwhile. */
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
