import {
  type ExplainedSchedule,
  explainRun,
  explainWithoutRun,
  type Plan,
  readPlan,
  type StoryAttempt,
  storyOfRun,
} from '@carillon/shared';
import type { Database } from '../database.js';
import { readLiveHandlers } from '../engine/workers.js';
import { ATTEMPT_COLUMNS, type RunView, SELECT_RUNS } from '../runs/read-runs.js';
import { LAST_RUN_AT, RUNS_TOTAL, SCHEDULE_STATUS } from '../schedules/schedule-columns.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';
import { type BulkReplayView, type DeferralView, JOIN_BULK_REPLAYS, SELECT_BULK_REPLAYS } from './ledger.js';
import { readHistoryStart } from './occurrence-audit.js';
import { readRunChanges, readScheduleChanges } from './schedule-changes.js';

/** An occurrence that a rule named. */
export interface NamedOccurrence {
  scheduleId: number;
  occurrenceAt: number;
}

const wanted = batch<NamedOccurrence>('wanted', { scheduleId: 'bigint', occurrenceAt: 'instant' });
const isWanted = (row: string) =>
  `${row}.schedule_id = wanted.schedule_id and ${row}.occurrence_at = wanted.occurrence_at and ${row}.origin = 'rule'`;

const selectRuns = statement<Values, RunView>(
  'read-explained-runs',
  `${SELECT_RUNS} join ${wanted.source} on ${isWanted('r')} where r.project_id = :projectId`,
);

const selectAttempts = statement<Values, NamedOccurrence & StoryAttempt>(
  'read-explained-attempts',
  `select a.schedule_id as "scheduleId", a.occurrence_at as "occurrenceAt", a.number, ${ATTEMPT_COLUMNS('a')}
   from ${wanted.source} join carillon.schedules s on s.id = wanted.schedule_id and s.project_id = :projectId
   cross join lateral (select * from carillon.run_attempts a where ${isWanted('a')}) as a order by a.number`,
);

const selectDeferrals = statement<Values, DeferralView>(
  'read-explained-deferrals',
  `select d.schedule_id as "scheduleId", d.occurrence_at as "occurrenceAt", d.origin, d.attempt, d.reason_code as "reasonCode",
          d.reason, d.from_at as "fromAt", d.until_at as "untilAt", d.count
   from ${wanted.source} join carillon.deferrals d on ${isWanted('d')} where d.project_id = :projectId order by d.from_at`,
);

const selectBulkReplays = statement<Values, BulkReplayView>(
  'read-explained-bulk-replays',
  `${SELECT_BULK_REPLAYS} from ${wanted.source} join carillon.runs r on ${isWanted('r')} ${JOIN_BULK_REPLAYS}
   where r.project_id = :projectId order by entry.id`,
);

const selectGaps = statement<Values, NamedOccurrence & { reason: string }>(
  'read-explained-gaps',
  `select wanted.schedule_id as "scheduleId", wanted.occurrence_at as "occurrenceAt", g.reason
   from ${wanted.source} join carillon.gaps g on g.schedule_id = wanted.schedule_id
     and g.from_at <= wanted.occurrence_at and g.to_at >= wanted.occurrence_at
   where g.project_id = :projectId`,
);

type ScheduleRow = Omit<ExplainedSchedule, 'plan'> & { id: number; key: string; plan: string };

const selectSchedules = statement<{ projectId: number; ids: string }, ScheduleRow>(
  'read-explained-schedules',
  `select s.id, s.key, ${SCHEDULE_STATUS} as status, a.occurrence_at as "occurrenceAt", s.paused_by as "pausedBy",
          s.paused_at as "pausedAt", s.pause_note as "pauseNote", s.plan, ${RUNS_TOTAL} as "runsTotal",
          ${LAST_RUN_AT} as "lastRunAt", s.updated_at as "updatedAt"
   from carillon.schedules s left join carillon.agenda a on a.schedule_id = s.id
   where s.project_id = :projectId and s.id = any(:ids::bigint[])`,
);

const definitions = batch<{ scheduleId: number; version: number }>('held', {
  scheduleId: 'bigint',
  version: 'int',
});

const selectPlans = statement<Values, { scheduleId: number; version: number; plan: string }>(
  'read-explained-plans',
  `select held.schedule_id as "scheduleId", held.version, definition.plan
   from (select distinct * from ${definitions.source}) as held cross join lateral (
     select s.plan from carillon.schedules s
     where s.id = held.schedule_id and s.project_id = :projectId and s.definition_version = held.version
     union all
     select v.plan from carillon.schedule_versions v
     where v.schedule_id = held.schedule_id and v.project_id = :projectId and v.version = held.version
   ) as definition`,
);

function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const keyOf = ({ scheduleId, occurrenceAt }: NamedOccurrence) => `${scheduleId}/${occurrenceAt}`;

/**
 * Returns for each occurrence, in the same order, a sentence that explains it, such as why it has not run or why its
 * run failed; null if its schedule was removed. The statements run one after the other, because `db` may be a
 * transaction with a single connection.
 */
export async function explainOccurrences(
  db: Database,
  {
    projectId,
    occurrences,
    nowAt,
  }: { projectId: number; occurrences: readonly NamedOccurrence[]; nowAt: number },
): Promise<(string | null)[]> {
  if (occurrences.length === 0) return [];
  const of = { projectId, ...wanted.of(occurrences) };
  const ids = arrayOf([...new Set(occurrences.map(({ scheduleId }) => scheduleId))]);
  const schedules = new Map((await selectSchedules(db, { projectId, ids })).map((row) => [row.id, row]));
  const runs = new Map((await selectRuns(db, of)).map((run) => [keyOf(run), run]));
  const gaps = new Map((await selectGaps(db, of)).map((gap) => [keyOf(gap), gap]));
  const attempts = groupBy(await selectAttempts(db, of), keyOf);
  const deferrals = groupBy(await selectDeferrals(db, of), keyOf);
  const isAnyReplayed = [...runs.values()].some((run) => run.replays > 0);
  const replays = groupBy(isAnyReplayed ? await selectBulkReplays(db, of) : [], keyOf);
  const plans = await readPlans(db, projectId, [...runs.values()]);
  const liveHandlers = await readLiveHandlers(db);
  const historyFromAt = await readHistoryStart(db, projectId);
  const runChanges = groupBy(await readRunChanges(db, { projectId, runs: [...runs.values()], nowAt }), keyOf);
  const others = occurrences.flatMap(({ scheduleId, occurrenceAt }) => {
    const key = schedules.get(scheduleId)?.key;
    return key === undefined ? [] : [{ key, fromAt: occurrenceAt, untilAt: occurrenceAt }];
  });
  const changes = await readScheduleChanges(db, { projectId, runs: [...runs.values()], others, nowAt });
  return occurrences.map((occurrence) => {
    const key = keyOf(occurrence);
    const schedule = schedules.get(occurrence.scheduleId);
    if (!schedule) return null;
    const made = changes.get(schedule.key) ?? [];
    const run = runs.get(key);
    if (run) {
      const steps = {
        attempts: attempts.get(key) ?? [],
        deferrals: deferrals.get(key) ?? [],
        replays: replays.get(key) ?? [],
      };
      // The time zone data is mentioned only in the list of steps of a run. This function returns a single sentence, so
      // it passes no time zone data.
      const ownChanges = [...made, ...(runChanges.get(key) ?? [])];
      const story = storyOfRun({ run, ...steps, changes: ownChanges, tzdata: [], nowAt });
      const plan = plans.get(`${run.scheduleId}/${run.version}`) ?? null;
      return explainRun(run, story, { plan, liveHandlers });
    }
    const gap = gaps.get(key);
    if (gap) return `skipped: ${gap.reason}`;
    const facts = { ...schedule, plan: readPlan(schedule.plan) };
    const { occurrenceAt } = occurrence;
    const sources = { schedule: facts, changes: made, nowAt, liveHandlers };
    const { status, why } = explainWithoutRun(occurrenceAt, sources);
    return status === 'missing' && occurrenceAt < historyFromAt ? PRUNED : why;
  });
}

const PRUNED = 'no record: the history of this time has been pruned';

/** The plans (targets and policies) with which the runs began, by schedule and version of the definition. */
async function readPlans(
  db: Database,
  projectId: number,
  runs: readonly RunView[],
): Promise<Map<string, Plan>> {
  if (runs.length === 0) return new Map();
  const rows = await selectPlans(db, { projectId, ...definitions.of(runs) });
  return new Map(rows.map(({ scheduleId, version, plan }) => [`${scheduleId}/${version}`, readPlan(plan)]));
}
