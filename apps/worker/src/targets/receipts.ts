import {
  type DelayedReceipt,
  delayReceipts,
  dropReceipts,
  type TakenReceipt,
  takeReceipts,
} from '@carillon/db';
import type { PostgresClock } from '@carillon/queue';
import type { Outcome } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.js';
import type { Poster } from './post.js';
import type { Secrets } from './secrets.js';
import type { Traffic } from './traffic.js';
import { outcomeOf, webhookHeaders } from './webhook.js';

export interface ReceiptParts {
  pool: Pool;
  poster: Poster;
  traffic: Traffic;
  secrets: Secrets;
  clock: PostgresClock;
  metrics: Metrics;
  log: Logger;
}

const AT_ONCE = 50;
const TIMEOUT_MS = 10_000;
/** After the first try, and so on; then a receipt is given up. Well within a minute nobody else takes it. */
const DELAYS_MS = [5_000, 30_000, 120_000, 600_000];

type Settled = { id: number } & (
  | { kind: 'sent' }
  | { kind: 'given_up' }
  | ({ kind: 'delayed' } & DelayedReceipt)
);

/** Sends the receipts that lie in Postgres, whichever worker closed their runs. */
export class Receipts {
  #sending: Promise<void> | null = null;
  readonly #stopped = new AbortController();

  constructor(private readonly parts: ReceiptParts) {}

  /** Sends what is due. Called when there is something new, and now and then for what is left over. */
  send(): void {
    if (this.#stopped.signal.aborted) return;
    this.#sending ??= this.#sendAll()
      .catch((error) => this.parts.log.error({ err: error }, 'Receipts could not be sent'))
      .finally(() => {
        this.#sending = null;
      });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { pool } = this.parts;
    while (!this.#stopped.signal.aborted) {
      const taken = await takeReceipts(pool, { limit: AT_ONCE, now: null });
      if (taken.length === 0) return;
      const settled = await Promise.all(taken.map((receipt) => this.#sendOne(receipt)));
      const delayed = settled.filter((each) => each.kind === 'delayed');
      if (delayed.length > 0) await delayReceipts(pool, delayed, null);
      if (delayed.length < settled.length) {
        await dropReceipts(
          pool,
          settled.filter((each) => each.kind !== 'delayed').map(({ id }) => id),
        );
      }
    }
  }

  async #sendOne(receipt: TakenReceipt): Promise<Settled> {
    const { metrics, log } = this.parts;
    const { id, tries } = receipt;
    const outcome = await this.#post(receipt);
    if (this.#stopped.signal.aborted) return { id, kind: 'delayed', retryInMs: 0, tries: tries - 1 };
    if (outcome.kind === 'deferred')
      return { id, kind: 'delayed', retryInMs: outcome.retryInMs, tries: tries - 1 };
    const delayMs = outcome.kind === 'failed' && outcome.isTransient ? DELAYS_MS[tries - 1] : undefined;
    metrics.count('carillon_receipts_total', 1, `outcome="${outcome.kind}"`);
    if (outcome.kind === 'succeeded') return { id, kind: 'sent' };
    if (delayMs !== undefined) return { id, kind: 'delayed', retryInMs: delayMs, tries };
    log.warn(
      { receipt: id, tries, error: outcome.kind === 'failed' ? outcome.error : null },
      'Receipt given up',
    );
    return { id, kind: 'given_up' };
  }

  async #post({ id, projectId, scheduleId, url, body }: TakenReceipt): Promise<Outcome> {
    const { poster, traffic, secrets, clock } = this.parts;
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#stopped.signal]);
    try {
      const { origin } = new URL(url);
      return await traffic.pass({ projectId, origin, timeoutMs: TIMEOUT_MS, signal }, async () => {
        const signed = webhookHeaders(
          { id: `receipt_${id}`, body, nowAt: clock.now() },
          await secrets.of({ projectId, scheduleId }, true),
        );
        return outcomeOf(await poster.post({ url, headers: signed, body, signal }), clock.now());
      });
    } catch (error) {
      return { kind: 'failed', isTransient: true, errorCode: 'error', error: String(error) };
    }
  }
}
