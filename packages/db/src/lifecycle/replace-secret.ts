import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.js';
import { recordAudit } from './change-schedule.js';

/** For so long a secret that was replaced stays valid, so that receivers can follow in their own time. */
const OVERLAP = `interval '24 hours'`;

interface Owner {
  projectId: number;
  /** Null for the project's own. */
  scheduleId: number | null;
}

/**
 * Puts a secret in place of the one that holds; null only takes that one away. The one replaced stays valid for a day,
 * those before it are gone: two are valid at most. The caller holds the owner's row lock.
 */
export async function replaceSecret(
  tx: Transaction,
  { projectId, scheduleId }: Owner,
  sealed: Buffer | null,
): Promise<void> {
  const owned = `project_id = $1 and schedule_id is not distinct from $2::bigint`;
  await tx.query(`delete from webhook_secrets where ${owned} and ($3 or expires_at is not null)`, [
    projectId,
    scheduleId,
    sealed === null,
  ]);
  if (sealed === null) return;
  await tx.query(`update webhook_secrets set expires_at = clock_timestamp() + ${OVERLAP} where ${owned}`, [
    projectId,
    scheduleId,
  ]);
  await tx.query(`insert into webhook_secrets (project_id, schedule_id, sealed) values ($1, $2, $3)`, [
    projectId,
    scheduleId,
    sealed,
  ]);
}

/** Gives a project a secret of its own, or another one, or takes it away (null). Answers whether there is such a project. */
export async function setProjectSecret(
  pool: Pool,
  { projectId, sealed, actor }: { projectId: number; sealed: Buffer | null; actor: string },
): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ key: string }>(`select key from projects where id = $1 for update`, [
      projectId,
    ]);
    const [project] = rows;
    if (!project) return false;
    await replaceSecret(tx, { projectId, scheduleId: null }, sealed);
    const action = sealed === null ? 'project.secret_removed' : 'project.secret_replaced';
    await recordAudit(tx, { projectId, key: project.key, actor, action });
    return true;
  });
}
