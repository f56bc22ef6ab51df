import {
  type ComparedDefinition,
  type ComparedRun,
  type ComparedSchedule,
  readPlan,
  readTiming,
} from '@carillon/shared';
import type { Database } from '../database.js';
import { instant, NOW } from '../instants.js';
import { arrayOf, statement, type Values } from '../statement.js';

/** A schedule with its definitions, and with the runs and gaps that the audit compares with its occurrences. */
export interface AuditedSchedule extends ComparedSchedule {
  id: number;
  key: string;
  definitions: ComparedDefinition[];
  runs: ComparedRun[];
  gaps: { fromAt: number; toAt: number }[];
}

export interface AuditPage {
  schedules: AuditedSchedule[];
  /** Set if the first schedule has too many runs for one page: its runs after this instant were not read. */
  readUntilAt: number | null;
  /** True if there are more schedules. */
  hasMore: boolean;
  nowAt: number;
}

export interface AuditRange {
  projectId: number;
  /** The first schedule to read. */
  fromId: number;
  scheduleKey: string | null;
  /** Maximum number of schedules. */
  limit: number;
  fromAt: number;
  toAt: number;
}

/** Maximum number of runs that one page reads. */
const MAX_RUNS = 50_000;

type ScheduleRow = ComparedSchedule & {
  id: number;
  key: string;
  version: number;
  timing: string;
  plan: string;
  fromAt: number;
  nowAt: number;
};

const selectSchedules = statement<Values, ScheduleRow>(
  'read-audited-schedules',
  `select s.id, s.key, s.updated_at as "updatedAt", a.occurrence_at as "pendingAt",
          case when not a.is_held then a.due_at end as "pendingDueAt",
          case when s.status = 'active' and a.schedule_id is null then 'finished' else s.status::text end as status,
          coalesce(a.last_run_at, s.last_run_at) as "lastRunAt", s.definition_version as version, s.timing, s.plan,
          s.defined_at as "fromAt", ${NOW} as "nowAt"
   from carillon.schedules s left join carillon.agenda a on a.schedule_id = s.id
   where s.project_id = :projectId and s.id >= :fromId and s.created_at <= ${instant(':toAt')}
     and (:scheduleKey::text is null or s.key = :scheduleKey)
   order by s.id limit :limit`,
);

type VersionRow = {
  scheduleId: number;
  version: number;
  timing: string;
  plan: string;
  fromAt: number;
  untilAt: number;
};

const selectVersions = statement<Values, VersionRow>(
  'read-audited-versions',
  `select schedule_id as "scheduleId", version, timing, plan, defined_at as "fromAt", superseded_at as "untilAt"
   from carillon.schedule_versions
   where project_id = :projectId and schedule_id = any(:ids::bigint[]) and superseded_at >= ${instant(':fromAt')}
     and defined_at <= ${instant(':toAt')}
   order by schedule_id, version`,
);

const selectRuns = statement<Values, ComparedRun & { scheduleId: number }>(
  'read-audited-runs',
  `select schedule_id as "scheduleId", occurrence_at as "occurrenceAt", version, recorded_at as "recordedAt"
   from carillon.runs
   where project_id = :projectId and schedule_id = any(:ids::bigint[]) and origin = 'rule'
     and occurrence_at between ${instant(':fromAt')} and ${instant(':toAt')}
   order by schedule_id, occurrence_at limit ${MAX_RUNS + 1}`,
);

const selectGaps = statement<Values, { scheduleId: number; fromAt: number; toAt: number }>(
  'read-audited-gaps',
  `select schedule_id as "scheduleId", from_at as "fromAt", to_at as "toAt" from carillon.gaps
   where project_id = :projectId and schedule_id = any(:ids::bigint[])
     and to_at >= ${instant(':fromAt')} and from_at <= ${instant(':toAt')}`,
);

/**
 * Reads a page of schedules with their definitions, runs and gaps in a window. The schedules are read before the runs.
 * In the other order, an occurrence that is claimed between the two reads would seem to have no run.
 */
export async function readAuditPage(db: Database, range: AuditRange): Promise<AuditPage> {
  const { projectId, fromAt, toAt, limit } = range;
  const rows = await selectSchedules(db, { ...range, limit: limit + 1, now: null });
  const listed = rows.slice(0, limit);
  const within = { projectId, fromAt, toAt, ids: arrayOf(listed.map(({ id }) => id)) };
  const [versions, runs, gaps] = await Promise.all([
    selectVersions(db, within),
    selectRuns(db, within),
    selectGaps(db, within),
  ]);
  // The page ends before the schedule whose runs were not all read. If that is the first schedule, it is returned in
  // part.
  const cut = runs.length > MAX_RUNS ? runs.at(-1) : undefined;
  const isCutAlone = cut !== undefined && cut.scheduleId === listed[0]?.id;
  const whole = cut === undefined ? listed : listed.filter(({ id }) => id < cut.scheduleId || isCutAlone);
  const schedules = isCutAlone ? whole.slice(0, 1) : whole;
  const [versionsOf, runsOf, gapsOf] = [bySchedule(versions), bySchedule(runs), bySchedule(gaps)];
  return {
    schedules: schedules.map((row) => ({
      ...row,
      definitions: definitionsOf(row, versionsOf.get(row.id) ?? []),
      runs: runsOf.get(row.id) ?? [],
      gaps: gapsOf.get(row.id) ?? [],
    })),
    readUntilAt: isCutAlone && cut ? cut.occurrenceAt - 1 : null,
    hasMore: rows.length > schedules.length,
    nowAt: rows[0]?.nowAt ?? 0,
  };
}

function bySchedule<T extends { scheduleId: number }>(rows: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const group = groups.get(row.scheduleId);
    if (group) group.push(row);
    else groups.set(row.scheduleId, [row]);
  }
  return groups;
}

function definitionsOf(row: ScheduleRow, versions: readonly VersionRow[]): ComparedDefinition[] {
  // `versions` was read after `row`. If an edit has committed in between, `versions` also holds the definition of
  // `row`, which must not be listed twice.
  const earlier = versions.filter(({ version }) => version < row.version);
  return [...earlier, { ...row, untilAt: null }].map(({ version, timing, plan, fromAt, untilAt }) => ({
    version,
    timing: readTiming(timing),
    maxRuns: readPlan(plan).maxRuns,
    fromAt,
    untilAt,
  }));
}

const selectStart = statement<{ projectId: number }, { at: number | null }>(
  'read-history-start',
  `select history_from as at from carillon.projects where id = :projectId`,
);

/** The beginning of the stored history of a project. Retention has removed what was before it. */
export async function readHistoryStart(db: Database, projectId: number): Promise<number> {
  const [row] = await selectStart(db, { projectId });
  return row?.at ?? 0;
}
