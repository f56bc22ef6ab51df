import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Time limits for clients, and the maximum number of connections. */
export interface HttpLimits {
  /** Maximum time to receive the headers of a request. */
  headersTimeoutMs: number;
  /** Maximum time to receive a whole request. A slower request is cut off. */
  requestTimeoutMs: number;
  /** How often Node checks for requests that exceed these limits. */
  checkIntervalMs: number;
  /** Maximum number of connections per replica. A connection beyond it is closed at once. */
  maxConnections: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 2_000,
  maxConnections: 10_000,
};

/**
 * Tracks open connections. The returned function closes the connections that have not sent a request yet. Node counts
 * them as busy, so without this a stop of the server would wait for them.
 */
export function watchConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}
