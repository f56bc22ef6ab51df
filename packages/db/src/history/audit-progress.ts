import type { Database } from '../database.js';
import { instant, NOW } from '../instants.js';
import { statement, type Values } from '../statement.js';

/** An audit of occurrences that is under way: its window of time, and the position that it has reached. */
export interface AuditProgress {
  fromAt: number;
  toAt: number;
  projectId: number;
  scheduleId: number;
  afterAt: number | null;
}

export interface AuditState {
  /** All occurrences before this instant have been audited; null before the first audit. */
  auditedUntil: number | null;
  /** Null if no audit is under way. */
  progress: AuditProgress | null;
  nowAt: number;
}

const selectState = statement<{ now: number | null }, AuditState>(
  'read-audit-state',
  `select audited_until as "auditedUntil", audit_progress as progress, ${NOW} as "nowAt" from carillon.installation`,
);

/** Reads how far the audit of all schedules has come. */
export async function readAuditState(db: Database, now: number | null): Promise<AuditState> {
  const [state] = await selectState(db, { now });
  return state as AuditState;
}

const saveProgress = statement<Values, object>(
  'save-audit-progress',
  `update carillon.installation
   set audit_progress = :progress::jsonb, audited_until = coalesce(${instant(':auditedUntil::bigint')}, audited_until),
       audit_differences = :differenceCount::int
         + case when audit_differed_at > ${NOW} - interval '1 day' then audit_differences else 0 end,
       audit_differed_at = case when :differenceCount::int > 0 then ${NOW} else audit_differed_at end
   where audit_progress is not distinct from :before::jsonb returning 1 as saved`,
);

/**
 * Saves the position that the audit of occurrences has reached. Returns false if another worker has saved a position
 * meanwhile. That worker has found the same differences, and they must not be counted twice.
 */
export async function saveAuditProgress(
  db: Database,
  {
    before,
    progress,
    ...result
  }: {
    before: AuditProgress | null;
    progress: AuditProgress | null;
    /** Set at the end of an audit. */
    auditedUntil: number | null;
    /** Number of differences found since the last save. */
    differenceCount: number;
    now: number | null;
  },
): Promise<boolean> {
  const json = (value: AuditProgress | null) => (value === null ? null : JSON.stringify(value));
  return (await saveProgress(db, { before: json(before), progress: json(progress), ...result })).length > 0;
}

const selectProject = statement<{ fromId: number }, { id: number; key: string }>(
  'read-next-audited-project',
  'select id, key from carillon.projects where id >= :fromId order by id limit 1',
);

/** The first project from this id on; null if there is none. */
export async function readNextProject(
  db: Database,
  fromId: number,
): Promise<{ id: number; key: string } | null> {
  const [project] = await selectProject(db, { fromId });
  return project ?? null;
}
