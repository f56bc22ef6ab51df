import { createServer } from 'node:net';
import { StartError } from '../start-error.js';

const REASONS: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) => `PORT ${port} is taken on ${host}: set PORT to a free one`,
  EACCES: (_host, port) => `PORT ${port} is reserved for the system: set PORT to one above 1023`,
  EADDRNOTAVAIL: (host) => `HOST ${host} is not an address of this machine: set HOST to one that is`,
  ENOTFOUND: (host) => `HOST ${host} is not known: set HOST to an address of this machine`,
};

/** The port that the API can have: the one asked for, or a free one for 0. */
export function checkPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = REASONS[error.code ?? ''];
      reject(reason ? new StartError(reason(host, port)) : error);
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}
