/** A server-sent event. */
export interface ServerSent {
  type: string;
  data: string;
}

/** Parses a stream of server-sent events, in chunks of any size. */
export class ServerSentReader {
  /** The id of the last complete message, to resume from. */
  lastEventId: string;
  /** The reconnect delay that the server asked for. */
  retryMs: number;
  #rest = '';
  #type = '';
  #data: string[] = [];
  #id: string | null = null;

  constructor({ lastEventId, retryMs }: { lastEventId: string; retryMs: number }) {
    this.lastEventId = lastEventId;
    this.retryMs = retryMs;
  }

  *read(chunk: string): Generator<ServerSent, void, undefined> {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = this.#readLine(line.replace(/\r$/, ''));
      if (message) yield message;
    }
  }

  #readLine(line: string): ServerSent | null {
    if (line === '') return this.#complete();
    const colon = line.indexOf(':');
    // A line that begins with a colon is a comment (heartbeat).
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id') this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return null;
  }

  /**
   * Ends a message and returns it, or null if it has no data. In both cases its id becomes the position to resume from.
   */
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
