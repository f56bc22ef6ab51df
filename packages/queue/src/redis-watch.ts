import type { RedisState } from '@carillon/shared';
import type { Redis } from 'ioredis';

/**
 * The error codes of a Redis that answers but takes no writes. If a script has failed, the code is inside the message.
 */
const REFUSALS: readonly [RegExp, RedisState][] = [
  [/\bREADONLY\b/, 'read_only'],
  [/\bOOM\b/, 'out_of_memory'],
  [/\b(WRONGPASS|NOAUTH|NOPERM)\b|invalid password/, 'access_denied'],
];

/** Classifies an error of a Redis command. An error that Redis did not send means that Redis is down. */
export function redisStateOf(error: unknown): RedisState {
  const message = error instanceof Error ? error.message : String(error);
  return REFUSALS.find(([words]) => words.test(message))?.[1] ?? 'down';
}

/**
 * A script that writes, as the scripts of BullMQ do. A PING or a plain SET may succeed although a bell can't be armed.
 */
const WRITE = `return redis.call('set', KEYS[1], '1', 'EX', '60')`;

export interface RedisWatchOptions {
  redis: Redis;
  /** BullMQ's key prefix. The check writes under it, because the permissions of a Redis user may be limited to it. */
  prefix: string;
  onTrouble: (state: RedisState, error: unknown) => void;
  onRecovery: () => void;
}

/** Judges Redis by a write, and reports each outage once: at its beginning and at its end. */
export class RedisWatch {
  #state: RedisState = 'up';
  /**
   * The error that closed the connection, such as a wrong password. A command without a connection does not name the
   * cause.
   */
  #connectionError: Error | null = null;

  constructor(private readonly options: RedisWatchOptions) {
    options.redis.on('error', (error: Error) => {
      this.#connectionError = error;
    });
    options.redis.on('ready', () => {
      this.#connectionError = null;
    });
  }

  /** The result of the last check. */
  get state(): RedisState {
    return this.#state;
  }

  /** Tries a write. Never fails: the state says what happened. */
  async look(): Promise<RedisState> {
    const { redis, prefix, onTrouble, onRecovery } = this.options;
    const error = await redis.eval(WRITE, 1, `${prefix}:carillon-watch`).then(
      () => null,
      (failure: unknown) => this.#connectionError ?? failure,
    );
    const before = this.#state;
    this.#state = error === null ? 'up' : redisStateOf(error);
    if (error !== null && before !== this.#state) onTrouble(this.#state, error);
    if (error === null && before !== 'up') onRecovery();
    return this.#state;
  }
}
