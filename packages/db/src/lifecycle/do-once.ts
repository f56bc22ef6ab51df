import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.js';

/** What was answered, kept for whoever asks again. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export type Once =
  | { kind: 'done'; answer: KeptAnswer }
  | { kind: 'repeated'; answer: KeptAnswer }
  /** The key came before with another request. */
  | { kind: 'mismatch' };

/** A client that has not had its answer after a day does not ask again. */
const KEPT = `interval '24 hours'`;

/**
 * Does something once per idempotency key. The key, what is done and the answer are one transaction: of two requests at
 * once the second waits for the first and gets its answer, and a crash in between leaves none of the three.
 */
export async function doOnce(
  pool: Pool,
  { projectId, key, requestHash }: { projectId: number; key: string; requestHash: string },
  work: (tx: Transaction) => Promise<KeptAnswer>,
): Promise<Once> {
  return inTransaction(pool, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'take-idempotency-key',
      text: `insert into idempotency_keys as kept (project_id, key, request_hash) values ($1, $2, $3)
             on conflict (project_id, key) do update set request_hash = $3, answer = null, created_at = clock_timestamp()
             where kept.created_at < clock_timestamp() - ${KEPT}`,
      values: [projectId, key, requestHash],
    });
    if (rowCount === 0) return readKept(tx, { projectId, key, requestHash });
    const answer = await work(tx);
    await tx.query({
      name: 'keep-answer',
      text: `update idempotency_keys set answer = $3 where project_id = $1 and key = $2`,
      values: [projectId, key, JSON.stringify(answer)],
    });
    return { kind: 'done', answer };
  });
}

async function readKept(
  tx: Transaction,
  { projectId, key, requestHash }: { projectId: number; key: string; requestHash: string },
): Promise<Once> {
  const { rows } = await tx.query<{ request_hash: string; answer: KeptAnswer }>(
    `select request_hash, answer from idempotency_keys where project_id = $1 and key = $2`,
    [projectId, key],
  );
  const [kept] = rows as [(typeof rows)[number]];
  return kept.request_hash === requestHash ? { kind: 'repeated', answer: kept.answer } : { kind: 'mismatch' };
}

/** Drops what nobody asks for any more. */
export async function forgetAnswers(pool: Pool): Promise<void> {
  await pool.query(
    `delete from idempotency_keys where (project_id, key) in (
       select project_id, key from idempotency_keys where created_at < clock_timestamp() - ${KEPT} limit 10000)`,
  );
}
