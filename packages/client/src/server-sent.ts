/** A message of a stream of server-sent events. */
export interface ServerSent {
  type: string;
  data: string;
}

/** Reads a stream of server-sent events as it comes, in pieces of any size. */
export class ServerSentReader {
  /** Where to go on: the last id that was complete. */
  lastEventId: string;
  /** How long the server asks to wait before a reconnect. */
  retryMs: number;
  #rest = '';
  #type = '';
  #data: string[] = [];
  #id: string | null = null;

  constructor({ lastEventId, retryMs }: { lastEventId: string; retryMs: number }) {
    this.lastEventId = lastEventId;
    this.retryMs = retryMs;
  }

  *read(piece: string): Generator<ServerSent, void, undefined> {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = this.#readLine(line.replace(/\r$/, ''));
      if (message) yield message;
    }
  }

  #readLine(line: string): ServerSent | null {
    if (line === '') return this.#complete();
    const colon = line.indexOf(':');
    // A line that begins with a colon is a comment, sent to keep the connection open.
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id') this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return null;
  }

  /** An id counts once its message is complete, also where that has no data: then it only says where to go on. */
  #complete(): ServerSent | null {
    const message = { type: this.#type || 'message', data: this.#data.join('\n') };
    const hasData = this.#data.length > 0;
    if (this.#id !== null) this.lastEventId = this.#id;
    this.#type = '';
    this.#data = [];
    this.#id = null;
    return hasData ? message : null;
  }
}
