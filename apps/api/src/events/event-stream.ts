import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Listener } from './event-broadcaster.js';

/** A comment line of the stream is sent at this interval, because proxies close idle connections. */
const HEARTBEAT_INTERVAL_MS = 15_000;
/** A client that leaves more than this unread is disconnected. It can reconnect and resume later. */
const MAX_UNREAD_BYTES = 1_024 * 1_024;
/**
 * Maximum time that a client may take to read one page of past events. Meanwhile, other listeners of the project that
 * want past events wait for their turn.
 */
const DRAIN_TIMEOUT_MS = 5_000;
/** Maximum time that a client may take to read the rest of a stream that the API closes. */
const CLOSE_TIMEOUT_MS = 1_000;

/** The connection of one listener. */
export class EventStream implements Listener {
  readonly #heartbeat: NodeJS.Timeout;
  readonly #socket: Socket | null;
  #hadUnread = false;

  constructor(
    private readonly response: ServerResponse,
    headers: Record<string, string>,
  ) {
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      // A keep-alive connection would delay the shutdown of this server.
      connection: 'close',
    });
    this.#socket = response.socket;
    response.write('retry: 1000\n\n');
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_INTERVAL_MS).unref();
    response.on('close', () => clearInterval(this.#heartbeat));
  }

  get isClosed(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  write(text: string): void {
    if (this.isClosed) return;
    // `end()` would keep the buffer until the client has read it. `destroy()` frees the buffer at once.
    const unread = this.response.writableLength;
    if (unread > 0 && unread + text.length > MAX_UNREAD_BYTES) this.response.destroy();
    else this.response.write(text);
  }

  async drained(): Promise<void> {
    if (this.isClosed || !this.response.writableNeedDrain) return;
    const tooSlow = setTimeout(() => this.response.destroy(), DRAIN_TIMEOUT_MS);
    await new Promise<void>((resolve) => {
      const go = () => {
        this.response.off('drain', go).off('close', go);
        resolve();
      };
      this.response.on('drain', go).on('close', go);
    });
    clearTimeout(tooSlow);
  }

  /**
   * Ends the stream because this replica stops. The client is told after which delay to reconnect, so that not all
   * clients reconnect at one instant.
   */
  endForStop(retryMs: number): void {
    this.write(`retry: ${Math.round(retryMs)}\n\n`);
    this.end();
  }

  /** Ends the stream. The connection of a client that does not read is destroyed. */
  end(): void {
    if (this.isClosed) return;
    this.response.end();
    // `response.socket` is null after `end()`, so use the socket that was saved.
    setTimeout(() => this.#socket?.destroy(), CLOSE_TIMEOUT_MS).unref();
  }

  /** Sends a heartbeat. Disconnects a client that has left data unread both now and at the previous heartbeat. */
  #beat(): void {
    const hasUnread = this.response.writableLength > 0;
    if (hasUnread && this.#hadUnread) this.response.destroy();
    else this.write(': heartbeat\n\n');
    this.#hadUnread = hasUnread;
  }
}
