import { type Drafted, type Moment, momentAfter, storeTiming, type Timing } from '@carillon/shared';
import type { Pool } from 'pg';
import { createSchedules, type Draft } from './create-schedules.js';
import { editSchedule } from './edit-schedule.js';
import type { LockedSchedule } from './locked-schedule.js';

/** Who shows as the author of what the code declares. */
const ACTOR = 'code';

export interface DeclarationReport {
  created: string[];
  changed: string[];
  /** Declared once, and no longer: still running. Deleting them is for a person to decide. */
  noLongerDeclared: string[];
}

/**
 * Brings schedules that live in the code up to date, by name. What has not changed in the code is not touched, so that
 * an operator's pause, reschedule or edit survives a deploy; what has changed keeps its pause.
 */
export async function declareSchedules(
  pool: Pool,
  { projectId, drafts }: { projectId: number; drafts: readonly Draft[] },
): Promise<DeclarationReport> {
  const created = await createSchedules(pool, { projectId, drafts, actor: ACTOR });
  const report: DeclarationReport = { created: [], changed: [], noLongerDeclared: [] };
  for (const [i, draft] of drafts.entries()) {
    if (created[i]?.kind === 'created') report.created.push(draft.key);
    else if (!(await isCurrent(pool, projectId, draft))) {
      const request = { ref: { projectId, key: draft.key }, actor: ACTOR };
      const edited = await editSchedule(pool, request, (schedule) => {
        const timing = keepAnchor(draft.timing, schedule.timing);
        return { ...draft, timing, next: nextUnder({ ...draft, timing }, schedule) };
      });
      if (edited.kind === 'changed') report.changed.push(draft.key);
    }
  }
  report.noLongerDeclared = await findUndeclared(
    pool,
    projectId,
    drafts.map((draft) => draft.key),
  );
  return report;
}

/** Intervals count from when the schedule was first made, not from when it was last deployed. */
function keepAnchor(timing: Timing, before: Timing): Timing {
  const anchored = { ...timing, anchorAt: before.anchorAt };
  return storeTiming(anchored) === storeTiming(before) ? anchored : timing;
}

/** Where the rule is the same the next occurrence stays, and with it the time to which somebody may have moved it. */
function nextUnder(draft: Pick<Drafted, 'timing' | 'plan'>, schedule: LockedSchedule): Moment | null {
  const { occurrenceAt, dueAt, timing, key, nowAt } = schedule;
  const isSameRule = storeTiming(timing) === storeTiming(draft.timing);
  if (isSameRule && occurrenceAt !== null && dueAt !== null) return { occurrenceAt, dueAt };
  return momentAfter({ key, ...draft }, nowAt);
}

/** Whether the latest definition that the code gave is this one. */
async function isCurrent(pool: Pool, projectId: number, draft: Draft): Promise<boolean> {
  const { rows } = await pool.query<{ request_hash: string }>(
    `select v.request_hash from every_schedule s join schedule_versions v on v.schedule_id = s.id
     where s.project_id = $1 and s.key = $2 and v.created_by = $3 order by v.version desc limit 1`,
    [projectId, draft.key, ACTOR],
  );
  return rows[0]?.request_hash === draft.requestHash;
}

async function findUndeclared(pool: Pool, projectId: number, declared: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    `select s.key from schedule_versions v join schedules s on s.id = v.schedule_id
     where v.project_id = $1 and v.version = 1 and v.created_by = $2
       and s.status in ('active', 'paused') and s.key <> all($3)
     order by s.key`,
    [projectId, ACTOR, declared],
  );
  return rows.map((row) => row.key);
}
