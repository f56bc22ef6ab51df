import { markFailed, markSent, type PostgresWatch, type TakenMessage, takeMessages } from '@carillon/db';
import type { Outcome } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.js';

/** Sends one message to a channel. It may throw: an exception is a failure that is tried again. */
export type SendToChannel = (message: TakenMessage, signal: AbortSignal) => Promise<Outcome>;

export interface SenderParts {
  pool: Pool;
  metrics: Metrics;
  log: Logger;
  postgres: PostgresWatch;
  send: SendToChannel;
}

/** Maximum number of messages that are sent at the same time, at most one to each channel. */
const MAX_CONCURRENT_MESSAGES = 20;
const TIMEOUT_MS = 15_000;
/**
 * The delay after the first failed try, after the second, and so on. If the try after the last delay fails too, the
 * message is given up.
 */
const DELAYS_MS = [10_000, 30_000, 120_000, 600_000, 1_800_000];
/** Maximum length of a recorded error. A longer one is cut. */
const MAX_ERROR = 500;

/**
 * Sends the alert messages that are stored in Postgres, whichever worker composed them. Each message is sent at least
 * once.
 */
export class MessageSender {
  readonly #stopped = new AbortController();
  #sending: Promise<void> | null = null;
  #mustReadAgain = false;

  constructor(private readonly parts: SenderParts) {}

  /** Sends the messages that are due, in the background. */
  send(): void {
    if (this.#stopped.signal.aborted) return;
    this.#mustReadAgain = true;
    this.#sending ??= this.#sendAll()
      .catch((error) => this.parts.postgres.report(error, 'Alert messages could not be sent'))
      .finally(() => {
        this.#sending = null;
      });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#mustReadAgain && !this.#stopped.signal.aborted) {
      this.#mustReadAgain = false;
      const taken = await takeMessages(this.parts.pool, { limit: MAX_CONCURRENT_MESSAGES, now: null });
      await Promise.all(taken.map((message) => this.#sendOne(message)));
      if (taken.length > 0) this.#mustReadAgain = true;
    }
  }

  async #sendOne(message: TakenMessage): Promise<void> {
    const { pool, metrics, log } = this.parts;
    const { id, projectId, tries, channelKey: channel } = message;
    const outcome = await this.#try(message);
    metrics.count('carillon_alert_messages_total', 1, `outcome="${outcome.kind}"`);
    if (outcome.kind === 'succeeded') {
      await markSent(pool, { id, now: null });
      return;
    }
    const error = outcome.kind === 'failed' ? outcome.error : 'the message was deferred';
    const isFinal = outcome.kind === 'failed' && !outcome.isTransient && !this.#stopped.signal.aborted;
    const retryInMs = isFinal ? null : (DELAYS_MS[tries - 1] ?? null);
    await markFailed(pool, { id, error: error.slice(0, MAX_ERROR), retryInMs, now: null });
    if (retryInMs === null)
      log.error(
        { projectId, message: id, channel, tries, error },
        'Alert message given up: its channel refused it or kept failing',
      );
    else
      log.warn(
        { projectId, message: id, channel, tries, error },
        'Alert message failed: it is sent again later',
      );
  }

  async #try(message: TakenMessage): Promise<Outcome> {
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#stopped.signal]);
    try {
      return await this.parts.send(message, signal);
    } catch (error) {
      const text = signal.aborted ? `no answer within ${TIMEOUT_MS / 1_000} s` : (error as Error).message;
      return { kind: 'failed', isTransient: true, errorCode: 'error', error: text };
    }
  }
}
