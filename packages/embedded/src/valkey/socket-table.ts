import { createServer } from 'node:net';
import type { Duplex } from 'node:stream';

/** The host functions that valkey.wasm imports, as its src/wasi/host.h (0.1.1) declares them. */
export interface HostImports extends Record<string, (...args: number[]) => number | undefined> {
  socket(): number;
  listen(fd: number, port: number): number;
  accept(fd: number): number;
  read(fd: number, pointer: number, length: number): number;
  write(fd: number, pointer: number, length: number): number;
  close(fd: number): undefined;
  poll(interest: number, count: number, fired: number, max: number): number;
}

interface Connection {
  socket: Duplex;
  received: Buffer[];
  /** The number of bytes of the first buffer that have been read. */
  offset: number;
  ended: boolean;
  congested: boolean;
}

/** Descriptors below this belong to the C library. */
const FIRST_FD = 4096;
/**
 * Valkey's event loop has 10,128 entries, indexed by descriptor. A connection with a higher descriptor is closed at
 * once.
 */
const LAST_FD = 10_000;
const READABLE = 1;
const WRITABLE = 2;

interface SocketTableOptions {
  memory: () => ArrayBuffer;
  /** Called when a socket event needs another pass of Valkey's event loop. */
  onEvent: () => void;
  onListenError: (error: Error) => void;
}

export interface SocketTable {
  imports: HostImports;
  /** Opens a connection to Valkey from within this process. */
  admit(connection: Duplex): void;
  /** Starts to accept connections. */
  openPort(): void;
}

/** Maps Valkey's descriptors to TCP sockets of Node. */
export function socketTable({ memory, onEvent, onListenError }: SocketTableOptions): SocketTable {
  const connections: Array<Connection | undefined> = [];
  const freeFds: number[] = [];
  const waiting: number[] = [];
  let listenerFd = -1;
  let listenerPort = 0;
  let nextFd = FIRST_FD;
  let bytes = Buffer.alloc(0);

  /** Valkey's memory. When the memory grows, the old view becomes invalid, so a new view is made. */
  function heap(): Buffer {
    if (bytes.buffer !== memory()) bytes = Buffer.from(memory());
    return bytes;
  }

  /**
   * Returns a free descriptor; -1 if all are in use. The descriptors of closed connections are reused. So only the
   * number of connections that are open at once is limited.
   */
  function takeFd(): number {
    return freeFds.pop() ?? (nextFd <= LAST_FD ? nextFd++ : -1);
  }

  function admit(socket: Duplex): void {
    const fd = takeFd();
    if (fd === -1) {
      socket.destroy();
      return;
    }
    const connection: Connection = { socket, received: [], offset: 0, ended: false, congested: false };
    connections[fd] = connection;
    socket.on('data', (chunk) => {
      connection.received.push(chunk);
      onEvent();
    });
    socket.on('drain', () => {
      connection.congested = false;
      onEvent();
    });
    const end = () => {
      connection.ended = true;
      onEvent();
    };
    socket.on('end', end).on('close', end).on('error', end);
    waiting.push(fd);
    onEvent();
  }

  function readiness(fd: number, mask: number): number {
    if (fd === listenerFd) return waiting.length > 0 ? mask & READABLE : 0;
    const connection = connections[fd];
    if (!connection) return 0;
    const readable = connection.received.length > 0 || connection.ended ? mask & READABLE : 0;
    return readable | (connection.congested ? 0 : mask & WRITABLE);
  }

  const imports: HostImports = {
    socket: takeFd,
    listen(fd, port) {
      listenerFd = fd;
      listenerPort = port;
      return 0;
    },
    accept: () => waiting.shift() ?? -1,
    read(fd, pointer, length) {
      const connection = connections[fd];
      if (!connection) return -1;
      if (connection.received.length === 0) return connection.ended ? 0 : -1;
      return drain(connection, heap().subarray(pointer, pointer + length));
    },
    write(fd, pointer, length) {
      const connection = connections[fd];
      if (!connection || connection.ended) return -1;
      // The bytes are copied, because the socket may send them after Valkey has reused the memory.
      const copy = Buffer.from(heap().subarray(pointer, pointer + length));
      connection.congested = !connection.socket.write(copy);
      return length;
    },
    close(fd) {
      connections[fd]?.socket.destroy();
      connections[fd] = undefined;
      if (fd >= FIRST_FD) freeFds.push(fd);
      return undefined;
    },
    poll(interest, count, fired, max) {
      const words = new Int32Array(memory());
      let firedCount = 0;
      for (let i = 0; i < count && firedCount < max; i++) {
        const fd = words[(interest >> 2) + i * 2] ?? 0;
        const ready = readiness(fd, words[(interest >> 2) + i * 2 + 1] ?? 0);
        if (ready === 0) continue;
        words[(fired >> 2) + firedCount * 2] = fd;
        words[(fired >> 2) + firedCount * 2 + 1] = ready;
        firedCount++;
      }
      return firedCount;
    },
  };
  const openPort = () => {
    createServer({ noDelay: true }, admit).on('error', onListenError).listen(listenerPort, '127.0.0.1');
  };
  return { imports, admit, openPort };
}

function drain(connection: Connection, into: Buffer): number {
  let written = 0;
  while (written < into.length) {
    const head = connection.received[0];
    if (!head) break;
    const copied = head.copy(into, written, connection.offset);
    written += copied;
    connection.offset += copied;
    if (connection.offset === head.length) {
      connection.received.shift();
      connection.offset = 0;
    }
  }
  return written;
}
