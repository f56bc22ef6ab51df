import { randomUUID } from 'node:crypto';
import { duplicate, type RedisClient } from '@carillon/queue';

/**
 * How long a replica collects the tokens that its requests take before it reports them. The other replicas count them
 * with this delay.
 */
const COLLECT_MS = 200;

/**
 * The number of tokens that one owner, such as a project, has taken from a limit, and how many per minute the limit
 * allows.
 */
type Use = [limit: string, owner: string | number, perMinute: number, count: number];
type Listener = (owner: string | number, perMinute: number, count: number) => void;

/**
 * Tells the other replicas how many tokens this replica has taken from a rate limit, so that the limit holds for all
 * replicas together. A request never waits for Redis: the tokens are reported afterwards, in batches. While Redis is
 * away, and in an installation without Redis, each replica counts only its own requests.
 */
export class UsageBus {
  readonly #replica = randomUUID();
  readonly #listeners = new Map<string, Listener>();
  readonly #channel: string;
  readonly #subscriber: RedisClient | null;
  #uses = new Map<string, Use>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly redis: RedisClient | null,
    { prefix, onError }: { prefix: string; onError: (error: Error) => void },
  ) {
    this.#channel = `${prefix}:carillon:rate-limits`;
    const subscriber = redis && duplicate(redis);
    this.#subscriber = subscriber;
    subscriber?.on('error', onError);
    subscriber?.on('message', (_channel: string, text: string) => this.#receive(text));
    subscriber?.on('ready', () => subscriber.subscribe(this.#channel).catch(onError));
  }

  /** Calls the listener when other replicas have taken tokens from this limit. */
  listen(limit: string, listener: Listener): void {
    this.#listeners.set(limit, listener);
  }

  /** Records that this replica has taken one token from the limit. */
  note(limit: string, owner: string | number, perMinute: number): void {
    if (!this.redis) return;
    const name = `${limit} ${owner}`;
    const use = this.#uses.get(name) ?? [limit, owner, perMinute, 0];
    use[3]++;
    this.#uses.set(name, use);
    this.#timer ??= setTimeout(() => this.#send(), COLLECT_MS).unref();
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#subscriber?.disconnect();
  }

  #send(): void {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    this.#timer = null;
    this.redis?.publish(this.#channel, JSON.stringify({ from: this.#replica, uses })).catch(() => {});
  }

  #receive(text: string): void {
    const { from, uses } = JSON.parse(text) as { from: string; uses: Use[] };
    if (from === this.#replica) return;
    for (const [limit, owner, perMinute, count] of uses)
      this.#listeners.get(limit)?.(owner, perMinute, count);
  }
}
