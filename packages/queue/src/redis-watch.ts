import type { RedisState } from '@carillon/shared';
import type { RedisClient } from './connection.js';

/**
 * The error codes of a Redis that answers but takes no writes. If a script has failed, the code is inside the message.
 */
const REFUSALS: readonly [RegExp, RedisState][] = [
  [/\bREADONLY\b/, 'read_only'],
  [/\bOOM\b/, 'out_of_memory'],
  [/\b(WRONGPASS|NOAUTH|NOPERM)\b|invalid password/, 'access_denied'],
  [/\b(CROSSSLOT|MOVED)\b/, 'cross_slot'],
];

/** Classifies an error of a Redis command. An error that Redis did not send means that Redis is down. */
export function redisStateOf(error: unknown): RedisState {
  // If no node of a cluster can be used, ioredis wraps the error of the last one.
  const cause = (error as { lastNodeError?: unknown } | null)?.lastNodeError ?? error;
  const message = cause instanceof Error ? cause.message : String(cause);
  return REFUSALS.find(([words]) => words.test(message))?.[1] ?? 'down';
}

/**
 * A script that writes to several keys, as the scripts of BullMQ do. A PING or a plain SET may succeed while such a
 * script fails.
 */
const WRITE = `redis.call('set', KEYS[1], '1', 'EX', '60') return redis.call('set', KEYS[2], '1', 'EX', '60')`;

export interface RedisWatchOptions {
  redis: RedisClient;
  /** BullMQ's key prefix. The check writes under it, because the permissions of a Redis user may be limited to it. */
  prefix: string;
  /** Called at the beginning of an outage (`isNew` is true), and again when its cause changes. */
  onTrouble: (state: RedisState, error: unknown, isNew: boolean) => void;
  onRecovery: () => void;
  /**
   * Called when an open connection did not answer in time. The server may have frozen, and another server may be the
   * master now.
   */
  onSilence?: () => void;
}

/** Checks Redis by a test write, and reports each outage at its beginning and at its end. */
export class RedisWatch {
  #state: RedisState = 'up';
  /**
   * The error that closed the connection, such as a wrong password. It is kept because the error of a later command
   * does not name the cause.
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

  /** Tries a write. Never throws: the returned state says what happened. */
  async look(): Promise<RedisState> {
    const { redis, prefix, onTrouble, onRecovery, onSilence } = this.options;
    const error = await redis.eval(WRITE, 2, `${prefix}:carillon-watch`, `${prefix}:carillon-watch:2`).then(
      () => null,
      (failure: unknown) => this.#connectionError ?? failure,
    );
    const before = this.#state;
    this.#state = error === null ? 'up' : redisStateOf(error);
    if (error !== null && before !== this.#state) onTrouble(this.#state, error, before === 'up');
    if (error === null && before !== 'up') onRecovery();
    if (this.#state === 'down' && redis.status === 'ready') onSilence?.();
    return this.#state;
  }
}

/**
 * Writes the log lines of an outage: at its beginning, whenever its cause changes, and at its end. The first line of
 * each cause is a warning, because the first cause may not be the real one: one check may find no connection, and the
 * next check may find that Redis refuses the password. A cause that comes back is logged as info, because two causes
 * may alternate.
 */
export function reportOutages(
  log: Record<'warn' | 'info', (fields: object, message: string) => void>,
  consequence: string,
): Pick<RedisWatchOptions, 'onTrouble' | 'onRecovery'> {
  const causes = new Set<RedisState>();
  return {
    onTrouble(redis, error, isNew) {
      if (isNew) causes.clear();
      const level = causes.has(redis) ? 'info' : 'warn';
      causes.add(redis);
      const message = isNew
        ? `Redis takes no writes: ${consequence}`
        : 'Redis still takes no writes, for another reason';
      log[level]({ err: error, redis }, message);
    },
    onRecovery: () => log.info({ redis: 'up' }, 'Redis takes writes again'),
  };
}

/** Replaces the watch in an installation without Redis. */
export const NO_REDIS_WATCH: Pick<RedisWatch, 'state' | 'look'> = { state: 'off', look: async () => 'off' };
