import type { Hold, LostTime, RestoreMode } from '@carillon/shared';
import type { Pool } from 'pg';
import { inTransaction } from '../database.js';
import { instant, NOW } from '../instants.js';
import { statement, type Values } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';
import { readDefaultProject } from '../tenancy/projects.js';
import { INSTALLATION_STATE, type InstallationRow, toInstallationState } from './installation-state.js';

const lock = statement<{ now: number | null }, InstallationRow & { nowAt: number }>(
  'lock-installation',
  `select ${INSTALLATION_STATE}, ${NOW} as "nowAt" from carillon.installation for update`,
);

/**
 * The new generation is higher than any that a process has seen. The stored one may be too low, because a backup that
 * is restored for the second time holds its old generation again. The recorded server (`home`) is deleted, so the next
 * worker records the server that it finds.
 */
const release = statement<Values, { generation: number }>(
  'release-installation',
  `update carillon.installation
   set generation = greatest(generation, :seenGeneration) + 1, held_at = null, held_code = null, held_detail = null,
       home = null, lost_time = :lostTime::jsonb, id = case when :isAdopted then gen_random_uuid() else id end
   returning generation`,
);

const insertRestore = statement<Values>(
  'record-restore',
  `insert into carillon.restores (generation, code, reason, held_at, lost_from, lost_until, mode, is_adopted, decided_at, decided_by)
   values (:generation, :code, :reason, ${instant(':heldAt')}, ${instant(':lostFromAt')}, ${instant(':lostUntilAt')},
           :mode, :isAdopted, ${instant(':decidedAt')}, :actor)`,
);

export interface ReleaseRequest {
  mode: RestoreMode;
  /** True if the database is a copy that shall become an installation of its own, with a new id. */
  isAdopted: boolean;
  /** The end of the lost time (whose transactions Postgres has lost); null means now. */
  untilAt: number | null;
  actor: string;
  now: number | null;
}

export type ReleaseResult =
  | { kind: 'released'; generation: number; lostFromAt: number; lostUntilAt: number }
  | { kind: 'not_held' }
  /** The database is a copy of another installation, and `isAdopted` is false. It stays held. */
  | { kind: 'copy' };

/**
 * Releases a held installation, so that workers claim again. The installation gets a new generation and the operator's
 * decision about the lost time. Later claims apply the decision to the occurrences that were due in that time.
 */
export function releaseInstallation(pool: Pool, request: ReleaseRequest): Promise<ReleaseResult> {
  const { mode, isAdopted, actor } = request;
  return inTransaction(pool, async (tx): Promise<ReleaseResult> => {
    const [row] = await lock(tx, { now: request.now });
    if (!row) throw new Error('the table "installation" is empty; run the migrations');
    const { nowAt } = row;
    const { hold } = toInstallationState(row);
    if (!hold) return { kind: 'not_held' };
    if (hold.code === 'database_copied' && !isAdopted) return { kind: 'copy' };
    const lostUntilAt = Math.min(request.untilAt ?? nowAt, nowAt);
    const lostTime = lostTimeOf(hold, { mode, untilAt: lostUntilAt });
    const { seenGeneration, lostFromAt, code, reason, heldAt } = hold;
    const [released] = await release(tx, {
      seenGeneration,
      lostTime: lostTime && JSON.stringify(lostTime),
      isAdopted,
    });
    const { generation } = released as { generation: number };
    const decided = { generation, mode, lostFromAt, lostUntilAt };
    await insertRestore(tx, { ...decided, code, reason, heldAt, isAdopted, decidedAt: nowAt, actor });
    const { id: projectId } = await readDefaultProject(tx);
    const detail = {
      code,
      mode,
      adopted: isAdopted,
      generation,
      lostFrom: new Date(lostFromAt).toISOString(),
      lostUntil: new Date(lostUntilAt).toISOString(),
    };
    await recordAudit(tx, {
      projectId,
      key: null,
      actor,
      action: 'installation.restored',
      detail,
      now: nowAt,
    });
    return { kind: 'released', generation, lostFromAt, lostUntilAt };
  });
}

/**
 * The operator's decision about the lost time, in the form that claims read; null if each schedule's misfire policy
 * decides.
 */
export function lostTimeOf(
  { lostFromAt }: Pick<Hold, 'lostFromAt'>,
  { mode, untilAt }: { mode: RestoreMode; untilAt: number },
): LostTime | null {
  if (mode === 'by-policy') return null;
  const [from, until] = [lostFromAt, untilAt].map((at) => new Date(at).toISOString());
  const reason = `due in the time that a restore has lost (${from} to ${until}); the operator chose not to run it`;
  return { mode, untilAt, reason };
}
