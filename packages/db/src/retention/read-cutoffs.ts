import { type Cutoffs, cutoffsOf, type ProjectRetention, type RetentionDays } from '@carillon/shared';
import type { Pool } from 'pg';
import { NOW } from '../instants.js';
import { batch, statement, type Values } from '../statement.js';

interface ProjectRow {
  id: number;
  retention: ProjectRetention;
  nowAt: number;
}

const selectProjects = statement<{ now: number | null }, ProjectRow>(
  'read-retentions',
  `select id, retention, ${NOW} as "nowAt" from carillon.projects order by id`,
);

/** For each project, the instants before which its runs, schedules and audit entries are removed. */
export async function readCutoffs(
  pool: Pool,
  { defaults, now }: { defaults: RetentionDays; now: number | null },
): Promise<Cutoffs[]> {
  const projects = await selectProjects(pool, { now });
  return projects.map((project) => cutoffsOf(project, { defaults, nowAt: project.nowAt }));
}

interface Cutoff {
  projectId: number;
  before: number;
}

const cutoffs = batch<Cutoff>('cutoff', { projectId: 'bigint', before: 'instant' });

/**
 * SQL for the `from` list: one row (project_id, before) per project. The values come from `cutoffValues`. A project
 * that keeps this kind of history for ever has no row.
 */
export const CUTOFFS = cutoffs.source;

export function cutoffValues(
  projects: readonly Cutoffs[],
  kind: 'runsBefore' | 'schedulesBefore' | 'auditBefore',
): Values | null {
  const rows = projects.flatMap(({ projectId, [kind]: before }) =>
    before === null ? [] : [{ projectId, before: Math.floor(before) }],
  );
  return rows.length === 0 ? null : cutoffs.of(rows);
}

const moveHistoryStart = statement<Values>(
  'move-history-start',
  `update carillon.projects p set history_from = cutoff.before from ${CUTOFFS}
   where p.id = cutoff.project_id and (p.history_from is null or p.history_from < cutoff.before)`,
);

/**
 * Records from which instant on the history of each project is complete. This is recorded before anything is removed.
 * Otherwise an audit of occurrences could report runs as missing that retention has removed.
 */
export async function recordHistoryStart(pool: Pool, projects: readonly Cutoffs[]): Promise<void> {
  const values = cutoffValues(projects, 'runsBefore');
  if (values) await moveHistoryStart(pool, values);
}
