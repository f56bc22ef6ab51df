import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** Tells the proxy to break each connection on which these bytes are sent to the server. */
export interface Ambush {
  bytes: Buffer;
  /**
   * True if the server still gets the bytes. It then executes the request, and the client never gets the answer. If
   * false, the bytes are lost with the connection.
   */
  isDelivered: boolean;
  /** The number of connections to break. */
  times: number;
}

/**
 * Tells the proxy to wait for the answer to a certain request, and to call a function before the client gets that
 * answer.
 */
export interface Watch {
  /** Bytes by which the request is recognised. */
  question: Buffer;
  /** Bytes by which the answer is recognised. Any other answer is passed on, and the proxy waits for the next one. */
  answer: Buffer;
  /** Called once. The answer is passed on when this function returns. */
  onAnswer: () => void;
}

interface Pair {
  client: Socket;
  server: Socket;
  /** True if the proxy must break the connection as soon as the server answers. */
  isDoomed: boolean;
  /**
   * True if bytes, or the end of the connection, were lost while the proxy dropped everything (`silence`). The
   * connection can't be used any more.
   */
  isTorn: boolean;
  /** True if the latest bytes from the client contain those that `watch` waits for. */
  isWatched: boolean;
}

/** A proxy between a program and its server that can make the network fail. */
export class TcpProxy {
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();
  /** The functions that pass held bytes on; null while no bytes are held back. */
  #held: Array<() => void> | null = null;
  #isRefusing = false;
  #isSilent = false;
  #bytesPerSecond = Number.POSITIVE_INFINITY;
  #ambush: Ambush | null = null;
  #watch: Watch | null = null;

  private constructor(private targetPort: number) {
    // Without this option, Node would close its side as soon as the other side closes, even while the proxy has to be
    // silent.
    this.#listener = createServer({ allowHalfOpen: true }, (client) => this.#join(client));
  }

  static async before(targetUrl: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(Number(new URL(targetUrl).port));
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  /** The URL of the server with the port of the proxy, so that clients connect through the proxy. */
  url(targetUrl: string): string {
    const { port } = this.#listener.address() as AddressInfo;
    return Object.assign(new URL(targetUrl), { port: String(port) }).toString();
  }

  /** Sends new connections to another server. Open connections stay where they are. */
  leadTo(targetUrl: string): void {
    this.targetPort = Number(new URL(targetUrl).port);
  }

  /** Ends every fault, and passes on the bytes that `stall` has held back. */
  pass(): void {
    this.#isRefusing = false;
    this.#isSilent = false;
    this.#bytesPerSecond = Number.POSITIVE_INFINITY;
    this.#ambush = null;
    this.#watch = null;
    for (const pair of this.#pairs) if (pair.isTorn) this.#breakOff(pair);
    const held = this.#held ?? [];
    this.#held = null;
    for (const goOn of held) goOn();
  }

  /** Holds back every byte until `pass`. Open connections stay, and new ones are accepted. */
  stall(): void {
    this.#held ??= [];
  }

  /**
   * Loses every byte, as if all packets were dropped. Neither side learns that the other side has closed the
   * connection. Connections that have lost bytes break at `pass`.
   */
  silence(): void {
    this.#isSilent = true;
  }

  /** Behaves as if there were no server: open connections break, and new ones are reset. */
  refuse(): void {
    this.#isRefusing = true;
    this.reset();
  }

  /** Breaks the open connections that `isChosen` selects (default: all); returns how many. */
  reset(isChosen: () => boolean = () => true): number {
    const chosen = [...this.#pairs].filter(isChosen);
    for (const pair of chosen) this.#breakOff(pair);
    return chosen.length;
  }

  /** Limits each direction of each connection to this many bytes per second. */
  throttle(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Breaks the next connections on which certain bytes are sent to the server. */
  ambush(ambush: Ambush): void {
    this.#ambush = { ...ambush };
  }

  get ambushesLeft(): number {
    return this.#ambush?.times ?? 0;
  }

  /** Calls a function once, at the moment at which the answer to a certain request arrives. */
  watch(watch: Watch): void {
    this.#watch = watch;
  }

  async close(): Promise<void> {
    this.#isSilent = false;
    this.refuse();
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #join(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.targetPort, '127.0.0.1');
    const pair: Pair = { client, server, isDoomed: false, isTorn: false, isWatched: false };
    this.#pairs.add(pair);
    server.on('error', () => client.resetAndDestroy());
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.once('close', () => {
        if (this.#isSilent) pair.isTorn = true;
        else this.#breakOff(pair);
      });
    }
    client.pipe(this.#relay(pair, (chunk) => this.#isAllowedUp(pair, chunk))).pipe(server);
    server.pipe(this.#relay(pair, (chunk) => this.#isAllowedDown(pair, chunk))).pipe(client);
  }

  #isAllowedUp(pair: Pair, chunk: Buffer): boolean {
    pair.isWatched = this.#watch !== null && chunk.includes(this.#watch.question);
    const ambush = this.#ambush;
    if (!ambush || ambush.times === 0 || !chunk.includes(ambush.bytes)) return true;
    ambush.times--;
    pair.isDoomed = ambush.isDelivered;
    if (!ambush.isDelivered) this.#breakOff(pair);
    return ambush.isDelivered;
  }

  #isAllowedDown(pair: Pair, chunk: Buffer): boolean {
    if (pair.isDoomed) this.#breakOff(pair);
    const watch = this.#watch;
    if (watch && pair.isWatched && chunk.includes(watch.answer)) {
      this.#watch = null;
      watch.onAnswer();
    }
    return !pair.isDoomed;
  }

  #relay(pair: Pair, isAllowed: (chunk: Buffer) => boolean): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, next) => {
        if (this.#isSilent) pair.isTorn = true;
        if (this.#isSilent || !isAllowed(chunk)) return next();
        const goOn = () => next(null, chunk);
        const waitMs = (chunk.length * 1_000) / this.#bytesPerSecond;
        if (this.#held) this.#held.push(goOn);
        else if (waitMs < 1) goOn();
        else setTimeout(goOn, waitMs);
      },
      flush: (end) => {
        // While the proxy drops everything, neither side may learn that the other has closed the connection.
        if (this.#isSilent) pair.isTorn = true;
        else end();
      },
    });
  }

  #breakOff(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.server.resetAndDestroy();
  }
}
