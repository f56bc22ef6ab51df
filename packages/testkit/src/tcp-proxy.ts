import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** What is to happen to a connection in which some bytes are seen on their way to the server. */
export interface Ambush {
  bytes: Buffer;
  /** Whether the server still gets them: it then does what it was asked to, and nobody hears of it. */
  isDelivered: boolean;
  /** In how many connections. */
  times: number;
}

interface Pair {
  client: Socket;
  server: Socket;
  /** The server's next answer is the last thing that happens here. */
  isDoomed: boolean;
}

/** A place between programs and their server where the network can be made to fail. */
export class TcpProxy {
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();
  /** While bytes are held back: who lets them go on. */
  #held: Array<() => void> | null = null;
  #isRefusing = false;
  #bytesPerSecond = Number.POSITIVE_INFINITY;
  #ambush: Ambush | null = null;

  private constructor(private readonly targetPort: number) {
    this.#listener = createServer((client) => this.#join(client));
  }

  static async before(targetUrl: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(Number(new URL(targetUrl).port));
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  /** The address of the server by way of the proxy. */
  url(targetUrl: string): string {
    const { port } = this.#listener.address() as AddressInfo;
    return Object.assign(new URL(targetUrl), { port: String(port) }).toString();
  }

  /** Nothing is the matter any more: what was held back goes on its way. */
  pass(): void {
    this.#isRefusing = false;
    this.#bytesPerSecond = Number.POSITIVE_INFINITY;
    this.#ambush = null;
    const held = this.#held ?? [];
    this.#held = null;
    for (const goOn of held) goOn();
  }

  /** Connections stay, and new ones are taken, but no byte gets through. */
  stall(): void {
    this.#held ??= [];
  }

  /** As if there were no server: connections break, and new ones are reset. */
  refuse(): void {
    this.#isRefusing = true;
    this.reset();
  }

  /** Breaks every connection, once. */
  reset(): void {
    for (const pair of this.#pairs) breakOff(pair);
  }

  /** A thin line: so many bytes a second in each direction of each connection. */
  throttle(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Breaks connections in which these bytes are seen. */
  ambush(ambush: Ambush): void {
    this.#ambush = { ...ambush };
  }

  get ambushesLeft(): number {
    return this.#ambush?.times ?? 0;
  }

  async close(): Promise<void> {
    this.#isRefusing = true;
    this.reset();
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
    const pair: Pair = { client, server, isDoomed: false };
    this.#pairs.add(pair);
    server.on('error', () => breakOff(pair));
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.once('close', () => {
        this.#pairs.delete(pair);
        client.destroy();
        server.destroy();
      });
    }
    client.pipe(this.#relay((chunk) => this.#isAllowedUp(pair, chunk))).pipe(server);
    server.pipe(this.#relay(() => isAllowedDown(pair))).pipe(client);
  }

  #isAllowedUp(pair: Pair, chunk: Buffer): boolean {
    const ambush = this.#ambush;
    if (!ambush || ambush.times === 0 || !chunk.includes(ambush.bytes)) return true;
    ambush.times--;
    pair.isDoomed = ambush.isDelivered;
    if (!ambush.isDelivered) breakOff(pair);
    return ambush.isDelivered;
  }

  #relay(isAllowed: (chunk: Buffer) => boolean): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, next) => {
        if (!isAllowed(chunk)) return next();
        const goOn = () => next(null, chunk);
        const waitMs = (chunk.length * 1_000) / this.#bytesPerSecond;
        if (this.#held) this.#held.push(goOn);
        else if (waitMs < 1) goOn();
        else setTimeout(goOn, waitMs);
      },
    });
  }
}

function isAllowedDown(pair: Pair): boolean {
  if (pair.isDoomed) breakOff(pair);
  return !pair.isDoomed;
}

function breakOff({ client, server }: Pair): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}
