import type { HoldCode, HoldDetail } from '@carillon/shared';
import type { Database } from '../database.js';
import { instant, NOW } from '../instants.js';
import { statement, type Values } from '../statement.js';
import type { Evidence, RememberedRow } from './evidence.js';
import { moveSequencesOn } from './move-sequences-on.js';

/**
 * SQL: true if the installation is not held, and its generation is not higher than the highest one that the process has
 * seen. A higher generation means that an operator has already decided how to go on after the loss of transactions.
 */
const MAY_BE_HELD = 'held_at is null and generation <= :seenGeneration';

/**
 * SQL: the last sign of life of the workers before an instant: the last sweep, or else the latest heartbeat. If there
 * is neither, the result is the instant itself.
 */
const lastSignBefore = (at: string) => `coalesce(
     (select i.swept_at from carillon.installation i where i.swept_at < ${at}),
     (select max(heartbeat_at) from carillon.workers where heartbeat_at < ${at}),
     ${at})`;

const selectLastSign = statement<
  { beforeAt: number | null; seenGeneration: number; now: number | null },
  { lostFromAt: number; nowAt: number }
>(
  'read-last-sign-of-life',
  `select ${lastSignBefore(`coalesce(${instant(':beforeAt')}, ${NOW})`)} as "lostFromAt", ${NOW} as "nowAt"
   from carillon.installation where ${MAY_BE_HELD}`,
);

/**
 * `MAY_BE_HELD` is evaluated under the lock of the row, so a process that is late cannot hold the installation again
 * after an operator has released it.
 */
const setHold = statement<Values, { generation: number }>(
  'hold-installation',
  `with held as (
     update carillon.installation set held_at = ${NOW}, held_code = :code, held_detail = :detail::jsonb
     where ${MAY_BE_HELD}
     returning generation
   ), audited as (
     insert into carillon.audit_log (project_id, actor, action, subject, detail, at)
     select p.id, :actor, 'installation.held', null, :auditDetail::json, ${NOW}
     from held, carillon.projects p where p.key = 'default'
   )
   select generation from held`,
);

export interface HoldRequest {
  code: HoldCode;
  reason: string;
  actor: string;
  /**
   * The highest generation that the requesting process has seen. The generation of an installation grows each time an
   * operator decides how to go on after a restore or failover of the database.
   */
  seenGeneration: number;
  /**
   * The lost time, whose transactions Postgres has lost, begins with the last sign of life of a worker before this
   * instant. Null means now.
   */
  beforeAt: number | null;
  now: number | null;
}

/**
 * Holds the installation: from now on no worker claims anything, until an operator decides how to go on. The API still
 * creates schedules meanwhile. All sequences are increased first, so that no id that was issued in the lost time is
 * issued again. Returns false if the installation is held already, or if an operator has decided already.
 */
export async function holdInstallation(
  db: Database,
  { code, reason, actor, seenGeneration, beforeAt, now }: HoldRequest,
): Promise<boolean> {
  const [sign] = await selectLastSign(db, { beforeAt, seenGeneration, now });
  if (!sign) return false;
  const { lostFromAt, nowAt } = sign;
  await moveSequencesOn(db, nowAt - lostFromAt);
  const detail: HoldDetail = { reason, lostFromAt, seenGeneration };
  const auditDetail = { code, reason, lostFrom: new Date(lostFromAt).toISOString() };
  const held = await setHold(db, {
    code,
    detail: JSON.stringify(detail),
    actor,
    auditDetail: JSON.stringify(auditDetail),
    seenGeneration,
    now,
  });
  return held.length > 0;
}

/**
 * Holds the installation (no worker claims until an operator decides) because Postgres no longer has something that
 * this process remembers: `row` or, if `row` is null, the heartbeat of `Evidence`.
 */
export function holdForLoss(
  db: Database,
  { at, generation, workerId }: Evidence,
  row: RememberedRow | null = null,
): Promise<boolean> {
  const lost = row ? describeRow(row) : `a heartbeat of worker ${workerId}`;
  const beforeAt = row?.at ?? at;
  return holdInstallation(db, {
    code: 'transactions_lost',
    reason: `Postgres no longer has ${lost} that it had committed at ${new Date(beforeAt).toISOString()}`,
    actor: 'carillon',
    seenGeneration: generation,
    beforeAt,
    now: null,
  });
}

function describeRow(row: RememberedRow): string {
  if (row.kind === 'audit') return `entry ${row.id} of the audit log`;
  const { scheduleId, occurrenceAt } = row;
  return `the run of schedule ${scheduleId} for ${new Date(occurrenceAt).toISOString()}`;
}
