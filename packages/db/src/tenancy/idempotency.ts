import { parseExactly, writeExactly } from '@carillon/shared';
import { and, eq, sql } from 'drizzle-orm';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.js';
import { idempotencyKeys } from '../schema/tenancy.js';
import { statement } from '../statement.js';
import { orm } from './orm.js';

/** An answer that is stored, so that a repeated request gets the same one. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export type IdempotentResult =
  | { kind: 'done'; answer: KeptAnswer }
  | { kind: 'repeated'; answer: KeptAnswer }
  /** The key was used before with another request. */
  | { kind: 'mismatch' };

interface KeyedRequest {
  projectId: number;
  key: string;
  requestHash: string;
}

/** Answers are kept for a day. After that, a request with the same key counts as a new one. */
const RETENTION = `interval '24 hours'`;

const takeKey = statement<KeyedRequest, object>(
  'take-idempotency-key',
  `insert into carillon.idempotency_keys as kept (project_id, key, request_hash) values (:projectId, :key, :requestHash)
   on conflict (project_id, key) do update
   set request_hash = excluded.request_hash, answer = null, created_at = clock_timestamp()
   where kept.created_at < clock_timestamp() - ${RETENTION}
   returning 1`,
);

const keepAnswer = statement<{ projectId: number; key: string; answer: string }>(
  'keep-answer',
  'update carillon.idempotency_keys set answer = :answer where project_id = :projectId and key = :key',
);

/**
 * Does the work once per idempotency key. The key, the changes of the work and the answer are committed together, so a
 * crash leaves all of them or none. If two requests with the same key come at once, the second waits for the first and
 * gets its answer.
 */
export function doOnce(
  pool: Pool,
  { projectId, key, requestHash }: KeyedRequest,
  work: (tx: Transaction) => Promise<KeptAnswer>,
): Promise<IdempotentResult> {
  return inTransaction(pool, async (tx) => {
    const taken = await takeKey(tx, { projectId, key, requestHash });
    if (taken.length === 0) return readAnswer(tx, { projectId, key, requestHash });
    const answer = await work(tx);
    await keepAnswer(tx, { projectId, key, answer: writeExactly(answer) });
    return { kind: 'done', answer };
  });
}

async function readAnswer(
  tx: Transaction,
  { projectId, key, requestHash }: KeyedRequest,
): Promise<IdempotentResult> {
  const [kept] = await orm(tx)
    .select({
      requestHash: idempotencyKeys.requestHash,
      answer: sql<string>`${idempotencyKeys.answer}::text`,
    })
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.projectId, projectId), eq(idempotencyKeys.key, key)));
  if (kept?.requestHash !== requestHash) return { kind: 'mismatch' };
  return { kind: 'repeated', answer: parseExactly(kept.answer) as KeptAnswer };
}
