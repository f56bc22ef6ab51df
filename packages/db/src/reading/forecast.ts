import { readTiming, type Timing } from '@carillon/shared';
import type { Database } from '../database.js';
import { fromMs, toMs } from '../sql-text.js';

/** Schedules that share their rule and stand at the same occurrence: what comes next is the same for all of them. */
export interface ForecastGroup {
  timing: Timing;
  occurrenceAt: number;
  /** When they are due next. */
  dueAt: number;
  schedules: number;
  /** How many runs are left to each of them; null without a limit. */
  runsLeft: number | null;
}

/** More rows than this are not read for one answer. */
const MOST_ROWS = 200_000;

/** What is due until an instant, grouped; and whether that is all of it. */
export async function readForecast(
  db: Database,
  { projectId, toAt }: { projectId: number; toAt: number },
): Promise<{ groups: ForecastGroup[]; isComplete: boolean }> {
  const { rows } = await db.query<Omit<ForecastGroup, 'timing'> & { timing: string }>(
    `select v.timing, ${toMs('s.occurrence_at')} as "occurrenceAt", ${toMs('s.next_run_at')} as "dueAt",
            count(*)::int as schedules,
            case when v.plan not like '%"maxRuns"%' then null
                 else greatest(0, (v.plan::json ->> 'maxRuns')::int - s.runs_total) end as "runsLeft"
     from (
       select id, definition_version, occurrence_at, next_run_at, runs_total from schedules
       where project_id = $1 and status = 'active' and next_run_at <= ${fromMs('$2::bigint')}
       order by next_run_at limit $3
     ) as s
     join schedule_versions v on v.schedule_id = s.id and v.version = s.definition_version
     group by 1, 2, 3, 5`,
    [projectId, toAt, MOST_ROWS],
  );
  const groups = rows.map((row) => ({ ...row, timing: readTiming(row.timing) }));
  return { groups, isComplete: groups.reduce((sum, group) => sum + group.schedules, 0) < MOST_ROWS };
}
