import {
  type DelayedReceipt,
  delayReceipts,
  dropReceipts,
  type PostgresWatch,
  readProjectsWith,
  type TakenReceipt,
  takeReceipts,
} from '@carillon/db';
import type { PostgresClock } from '@carillon/queue';
import type { Outcome } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Metrics } from '../../metrics.js';
import { ResourceShares } from '../../pipeline/resource-shares.js';
import type { Poster } from '../targets/post.js';
import type { DeliverySecrets } from '../targets/secrets.js';
import { JSON_TYPE, outcomeOf, webhookHeaders } from '../targets/webhook.js';
import type { Traffic } from '../traffic/traffic.js';

export interface ReceiptParts {
  pool: Pool;
  poster: Poster;
  traffic: Traffic;
  secrets: DeliverySecrets;
  clock: PostgresClock;
  metrics: Metrics;
  log: Logger;
  postgres: PostgresWatch;
}

/** Maximum number of receipts that are sent at once. A single project may use only a part of this number. */
const MAX_CONCURRENT_RECEIPTS = 100;
const TIMEOUT_MS = 10_000;
/**
 * The delay after the first failed try, after the second, and so on. If the try after the last delay fails too, the
 * receipt is given up.
 */
const DELAYS_MS = [5_000, 30_000, 120_000, 600_000];

type ReceiptResult = { id: number } & (
  | { kind: 'sent' }
  | { kind: 'given_up' }
  | ({ kind: 'delayed' } & DelayedReceipt)
);

/**
 * Sends receipts: messages to the URLs in `onSuccess` and `onFailure`. They are stored in Postgres, so any worker may
 * send them.
 */
export class Receipts {
  readonly #places = new ResourceShares(MAX_CONCURRENT_RECEIPTS);
  readonly #sending = new Set<Promise<void>>();
  #results: ReceiptResult[] = [];
  #taking: Promise<void> | null = null;
  /**
   * True if due receipts must be read once more: `send` was called during a read, or the last read found receipts and
   * there may be more.
   */
  #mustReadAgain = false;
  readonly #stopped = new AbortController();

  constructor(private readonly parts: ReceiptParts) {}

  /**
   * Sends the receipts that are due. Called after a run has stored a receipt, and by each sweep for receipts that are
   * left over.
   */
  send(): void {
    if (this.#stopped.signal.aborted) return;
    this.#mustReadAgain = true;
    this.#taking ??= this.#takeAll()
      .catch((error) => this.parts.postgres.report(error, 'Receipts could not be sent'))
      .finally(() => {
        this.#taking = null;
        if (this.#mustReadAgain) this.send();
      });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#taking;
    await Promise.all(this.#sending);
    await this.#recordResults();
  }

  /**
   * Reads due receipts and starts to send them, as long as there are any and the maximum is not reached. A receiver
   * that hangs delays no other receipt.
   */
  async #takeAll(): Promise<void> {
    while (this.#mustReadAgain && !this.#stopped.signal.aborted) {
      this.#mustReadAgain = false;
      await this.#recordResults();
      const taken = await this.#takeSome();
      for (const receipt of taken) this.#begin(receipt);
      if (taken.length > 0) this.#mustReadAgain = this.#places.free > 0;
    }
  }

  async #takeSome(): Promise<TakenReceipt[]> {
    const { pool } = this.parts;
    const limit = this.#places.perBatch;
    if (limit === 0) return [];
    const projects = await readProjectsWith('receipts', pool, null);
    const fairTo = projects.filter(({ id, weight }) => !this.#places.hasUsedUp(id, weight));
    return fairTo.length === 0 ? [] : takeReceipts(pool, { limit, fairTo, now: null });
  }

  #begin(receipt: TakenReceipt): void {
    this.#places.take(receipt.projectId, 1);
    const sending = this.#sendOne(receipt).then((result) => {
      this.#sending.delete(sending);
      this.#results.push(result);
      this.#places.putBack(receipt.projectId, 1);
      this.send();
    });
    this.#sending.add(sending);
  }

  /**
   * Records the results of the receipts that were sent. If the recording fails, the same receipts are sent again after
   * a minute.
   */
  async #recordResults(): Promise<void> {
    const { pool } = this.parts;
    const results = this.#results.splice(0);
    const delayed = results.filter((each) => each.kind === 'delayed');
    const ended = results.filter((each) => each.kind !== 'delayed').map(({ id }) => id);
    if (delayed.length > 0) await delayReceipts(pool, delayed, null);
    if (ended.length > 0) await dropReceipts(pool, ended);
  }

  async #sendOne(receipt: TakenReceipt): Promise<ReceiptResult> {
    const { metrics, log } = this.parts;
    const { id, projectId, tries } = receipt;
    const outcome = await this.#post(receipt);
    if (this.#stopped.signal.aborted) return { id, kind: 'delayed', retryInMs: 0, tries: tries - 1 };
    if (outcome.kind === 'deferred')
      return { id, kind: 'delayed', retryInMs: outcome.retryInMs, tries: tries - 1 };
    const delayMs = outcome.kind === 'failed' && outcome.isTransient ? DELAYS_MS[tries - 1] : undefined;
    metrics.count('carillon_receipts_total', 1, `outcome="${outcome.kind}"`);
    if (outcome.kind === 'succeeded') return { id, kind: 'sent' };
    if (delayMs !== undefined) return { id, kind: 'delayed', retryInMs: delayMs, tries };
    const { scheduleId, runId } = JSON.parse(receipt.body) as Record<string, string>;
    log.warn(
      {
        projectId,
        scheduleId,
        runId,
        receipt: id,
        tries,
        error: outcome.kind === 'failed' ? outcome.error : null,
      },
      'Receipt given up: its receiver refused it or kept failing',
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
        const headers = { ...JSON_TYPE, ...signed };
        return outcomeOf(await poster.post({ projectId, url, headers, body, signal }), clock.now());
      });
    } catch (error) {
      return { kind: 'failed', isTransient: true, errorCode: 'error', error: String(error) };
    }
  }
}
