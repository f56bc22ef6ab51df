import { type Plan, readPlan, readTiming, type Timing } from '@carillon/shared';
import type { Database } from '../database.js';
import type { ScheduleStatus } from '../lifecycle/locked-schedule.js';

/** A schedule with the definition that holds, as it is shown. */
export interface ScheduleView {
  id: number;
  key: string;
  status: ScheduleStatus;
  version: number;
  name: string | null;
  tags: string[];
  rule: unknown;
  timing: Timing;
  plan: Plan;
  payload: unknown;
  nextRunAt: Date | null;
  occurrenceAt: Date | null;
  lastRunAt: Date | null;
  lastEnqueuedAt: Date | null;
  runsTotal: number;
  pausedAt: Date | null;
  pausedUntil: Date | null;
  pausedBy: string | null;
  pauseNote: string | null;
  createdAt: Date;
  updatedAt: Date;
}

interface Row extends Omit<ScheduleView, 'timing' | 'plan'> {
  timing: string;
  plan: string;
}

const SELECT_SCHEDULES = `
  select s.id, s.key, s.status, s.version, v.name, v.tags, v.rule, v.timing, v.plan, v.payload,
         s.next_run_at as "nextRunAt", s.occurrence_at as "occurrenceAt", s.last_run_at as "lastRunAt",
         s.last_enqueued_at as "lastEnqueuedAt", s.runs_total as "runsTotal", s.paused_at as "pausedAt",
         s.paused_until as "pausedUntil", s.paused_by as "pausedBy", s.pause_note as "pauseNote",
         s.created_at as "createdAt", s.updated_at as "updatedAt"
  from schedules s join schedule_versions v on v.schedule_id = s.id and v.version = s.definition_version`;

export async function readSchedule(
  db: Database,
  projectId: number,
  key: string,
): Promise<ScheduleView | null> {
  const { rows } = await db.query<Row>({
    name: 'read-schedule',
    text: `${SELECT_SCHEDULES} where s.project_id = $1 and s.key = $2`,
    values: [projectId, key],
  });
  return rows[0] ? toView(rows[0]) : null;
}

export interface ScheduleFilter {
  status?: ScheduleStatus | undefined;
  tag?: string | undefined;
  target?: string | undefined;
  /** In the id or the name. */
  q?: string | undefined;
  dueBefore?: Date | undefined;
  dueAfter?: Date | undefined;
}

/** Newest first. `beforeId` is the last of the page before. */
export async function listSchedules(
  db: Database,
  {
    projectId,
    filter,
    limit,
    beforeId,
  }: { projectId: number; filter: ScheduleFilter; limit: number; beforeId: number | null },
): Promise<ScheduleView[]> {
  const { rows } = await db.query<Row>(
    `${SELECT_SCHEDULES}
     where s.project_id = $1 and ($2::bigint is null or s.id < $2)
       and ($3::schedule_status is null or s.status = $3)
       and ($4::text is null or v.tags @> array[$4])
       and ($5::text is null or v.target_type = $5)
       and ($6::text is null or position(lower($6) in lower(s.key || ' ' || coalesce(v.name, ''))) > 0)
       and ($7::timestamptz is null or s.next_run_at < $7)
       and ($8::timestamptz is null or s.next_run_at > $8)
     order by s.id desc limit $9`,
    [
      projectId,
      beforeId,
      filter.status ?? null,
      filter.tag ?? null,
      filter.target ?? null,
      filter.q ?? null,
      filter.dueBefore ?? null,
      filter.dueAfter ?? null,
      limit,
    ],
  );
  return rows.map(toView);
}

const toView = (row: Row): ScheduleView => ({
  ...row,
  timing: readTiming(row.timing),
  plan: readPlan(row.plan),
});
