import { isSameTiming, type Timing } from '@carillon/shared';
import type { Pool } from 'pg';
import { statement } from '../statement.js';
import { CODE_ACTOR, createSchedules, type Draft } from './create-schedules.js';
import { editSchedule } from './edit-schedule.js';
import { readSchedule } from './read-schedules.js';

export interface DeclarationReport {
  created: string[];
  changed: string[];
  /**
   * Schedules that the code declared earlier and no longer declares. They stay as they are until a person deletes them.
   */
  noLongerDeclared: string[];
}

const selectDeclared = statement<
  { projectId: number; keys: readonly string[] },
  { key: string; declaredHash: string }
>(
  'read-declared',
  `select key, declared_hash as "declaredHash" from carillon.schedules
   where project_id = :projectId and key = any(:keys) and declared_hash is not null`,
);

/**
 * Brings the schedules that are declared in code up to date. A schedule whose declaration has not changed is left
 * alone, so that an operator's pause, reschedule or edit survives a deploy. A schedule whose declaration has changed
 * keeps its pause.
 */
export async function declareSchedules(
  pool: Pool,
  { projectId, drafts }: { projectId: number; drafts: readonly Draft[] },
): Promise<DeclarationReport> {
  const keys = drafts.map(({ key }) => key);
  const created = await createSchedules(pool, { projectId, drafts, actor: CODE_ACTOR });
  const report: DeclarationReport = { created: [], changed: [], noLongerDeclared: [] };
  const declared = new Map(
    (await selectDeclared(pool, { projectId, keys })).map(({ key, declaredHash }) => [key, declaredHash]),
  );
  for (const [i, draft] of drafts.entries()) {
    if (created[i]?.kind === 'created') report.created.push(draft.key);
    else if (declared.get(draft.key) !== draft.requestHash && (await redeclare(pool, projectId, draft)))
      report.changed.push(draft.key);
  }
  report.noLongerDeclared = (await selectUndeclared(pool, { projectId, keys })).map(({ key }) => key);
  return report;
}

/**
 * Edits one schedule to match its declaration in code. Returns false if another worker made the same change first, or
 * if the schedule can't be edited.
 */
async function redeclare(pool: Pool, projectId: number, draft: Draft): Promise<boolean> {
  const view = await readSchedule(pool, projectId, draft.key);
  if (!view || view.declaredHash === draft.requestHash) return false;
  const definition = {
    ...draft,
    timing: keepAnchor(draft.timing, view.timing),
    declaredHash: draft.requestHash,
  };
  const request = { ref: { projectId, key: draft.key }, actor: CODE_ACTOR, ifMatch: view.version };
  const edited = await editSchedule(pool, request, definition);
  // Another worker or a person has changed the schedule meanwhile: compare again.
  return edited.kind === 'stale' ? redeclare(pool, projectId, draft) : edited.kind === 'changed';
}

/**
 * Keeps the anchor (the instant from which an interval rule counts) if the timing is otherwise the same. So a deploy
 * does not make the intervals begin anew.
 */
function keepAnchor(timing: Timing, before: Timing): Timing {
  const anchored = { ...timing, anchorAt: before.anchorAt };
  return isSameTiming(anchored, before) ? anchored : timing;
}

const selectUndeclared = statement<{ projectId: number; keys: readonly string[] }, { key: string }>(
  'read-undeclared',
  `select s.key from carillon.schedules s
   where s.project_id = :projectId and s.declared_hash is not null and s.key <> all(:keys)
     and (s.status = 'paused' or exists (select from carillon.agenda a where a.schedule_id = s.id))
   order by s.key`,
);
