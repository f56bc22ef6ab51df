import { followDecisions, type LostTime, type LostTimeOutcome, readPlan, readTiming } from '@carillon/shared';
import type { Database } from '../database.js';
import { NOW } from '../instants.js';
import { statement } from '../statement.js';

interface OverdueRow {
  id: number;
  project: string;
  key: string;
  occurrenceAt: number;
  dueAt: number;
  runsTotal: number;
  timing: string;
  plan: string;
  nowAt: number;
}

const selectOverdue = statement<{ afterId: number; limit: number; now: number | null }, OverdueRow>(
  'read-overdue-schedules',
  `select s.id, p.key as project, s.key, a.occurrence_at as "occurrenceAt", a.due_at as "dueAt", a.runs_total as "runsTotal",
          s.timing, s.plan, ${NOW} as "nowAt"
   from carillon.agenda a
   join carillon.schedules s on s.id = a.schedule_id join carillon.projects p on p.id = s.project_id
   where not a.is_held and a.due_at <= ${NOW} and a.schedule_id > :afterId
   order by a.schedule_id limit :limit`,
);

const selectOpen = statement<object, { running: number; waiting: number }>(
  'count-runs-of-lost-time',
  `select (select count(*) from carillon.leases l join carillon.runs r on r.epoch = l.epoch where r.status = 'running') as running,
          (select count(*) from carillon.runs where next_attempt_at is not null) as waiting`,
);

const SCHEDULES_PER_PAGE = 1_000;
const MAX_EXAMPLES = 5;

/** An overdue schedule, and how many of its occurrences the decision would run and skip. */
export interface OverdueExample extends LostTimeOutcome {
  project: string;
  schedule: string;
  /** The first occurrence that is overdue. */
  firstAt: number;
}

export interface LostTimeSurvey extends LostTimeOutcome {
  schedules: number;
  /**
   * Runs that are in flight or waiting according to the restored database. They will be tried again, as after the loss
   * of a worker.
   */
  openRuns: number;
  examples: OverdueExample[];
}

/**
 * Counts the overdue occurrences that would be run, and those that would be skipped, under a decision about the lost
 * time (whose transactions Postgres has lost). Changes nothing.
 */
export async function surveyLostTime(
  db: Database,
  { lostTime, now }: { lostTime: LostTime | null; now: number | null },
): Promise<LostTimeSurvey> {
  const [open] = await selectOpen(db, {});
  const openRuns = (open?.running ?? 0) + (open?.waiting ?? 0);
  const survey: LostTimeSurvey = { schedules: 0, run: 0, skipped: 0, openRuns, examples: [] };
  for (let afterId = 0; ; ) {
    const rows = await selectOverdue(db, { afterId, limit: SCHEDULES_PER_PAGE, now });
    for (const row of rows) {
      const outcome = outcomeOf(row, lostTime);
      survey.schedules++;
      survey.run += outcome.run;
      survey.skipped += outcome.skipped;
      if (survey.examples.length < MAX_EXAMPLES)
        survey.examples.push({
          project: row.project,
          schedule: row.key,
          firstAt: row.occurrenceAt,
          ...outcome,
        });
    }
    if (rows.length < SCHEDULES_PER_PAGE) return survey;
    afterId = rows.at(-1)?.id ?? afterId;
  }
}

/** If the definition of a schedule can't be read, its claim pauses the schedule as broken and runs nothing. */
function outcomeOf({ timing, plan, nowAt, ...row }: OverdueRow, lostTime: LostTime | null): LostTimeOutcome {
  try {
    return followDecisions({ ...row, timing: readTiming(timing), plan: readPlan(plan), lostTime }, nowAt);
  } catch {
    return { run: 0, skipped: 0 };
  }
}
