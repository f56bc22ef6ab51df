import type { ServerResponse } from 'node:http';
import type { Batch } from './feed.js';

/** Proxies close what says nothing for long. */
const HEARTBEAT_MS = 15_000;
/** A listener that does not read is let go; it can resume. */
const MOST_UNREAD_BYTES = 4 * 1_024 * 1_024;

/** One listener's connection. What is sent before it is open is kept until then. */
export class EventStream {
  #waiting: string[] = [];
  #response: ServerResponse | null = null;
  #heartbeat: NodeJS.Timeout | undefined;

  send(batch: Batch): void {
    this.#write(textOf(batch));
  }

  open(response: ServerResponse, headers: Record<string, string>): void {
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    this.#response = response;
    for (const text of ['retry: 1000\n\n', ...this.#waiting]) this.#write(text);
    this.#waiting = [];
    this.#heartbeat = setInterval(() => this.#write(': still here\n\n'), HEARTBEAT_MS);
  }

  end(): void {
    clearInterval(this.#heartbeat);
    this.#response?.end();
  }

  #write(text: string): void {
    if (!this.#response) this.#waiting.push(text);
    else if (this.#response.writableLength > MOST_UNREAD_BYTES) this.end();
    else if (!this.#response.writableEnded) this.#response.write(text);
  }
}

/** Only the last event of a batch carries the new position: whoever is cut off within it gets the rest again. */
function textOf({ events, position }: Batch): string {
  const id = `id: ${position.epoch}-${position.auditId}\n`;
  if (events.length === 0) return `${id}\n`;
  const last = events.length - 1;
  return events
    .map(({ type, data }, i) => `${i === last ? id : ''}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
    .join('');
}
