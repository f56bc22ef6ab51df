import {
  type Plan,
  type RuleInForce,
  type RunIdentity,
  readPlan,
  readTiming,
  type StoryDeferral,
  type StoryReplay,
} from '@carillon/shared';
import type { Database } from '../database.js';
import { instant } from '../instants.js';
import { ATTEMPT_COLUMNS, type AttemptView, type RunView, SELECT_RUNS } from '../runs/read-runs.js';
import { statement } from '../statement.js';

/** A definition and the time during which it was in force. */
export interface HeldDefinition extends RuleInForce {
  version: number;
  plan: Plan;
}

interface Range {
  projectId: number;
  scheduleId: number;
  fromAt: number;
  toAt: number;
}

/** Maximum number of definitions, and of gaps, that one page reads. */
export const MAX_DEFINITIONS = 1_000;
export const MAX_GAPS = 1_000;

const selectDefinitions = statement<
  Range,
  Omit<HeldDefinition, 'timing' | 'plan'> & { timing: string; plan: string }
>(
  'read-definitions',
  `select version, timing, plan, defined_at as "fromAt", superseded_at as "untilAt"
   from carillon.schedule_versions
   where project_id = :projectId and schedule_id = :scheduleId
     and defined_at <= ${instant(':toAt')} and superseded_at >= ${instant(':fromAt')}
   union all
   select definition_version, timing, plan, defined_at, null from carillon.schedules
   where project_id = :projectId and id = :scheduleId and defined_at <= ${instant(':toAt')}
   order by version limit ${MAX_DEFINITIONS}`,
);

/**
 * The first definitions of a schedule that were in force at any time in a range, oldest first: at most
 * `MAX_DEFINITIONS`.
 */
export async function readDefinitions(db: Database, range: Range): Promise<HeldDefinition[]> {
  const rows = await selectDefinitions(db, range);
  return rows.map((row) => ({ ...row, timing: readTiming(row.timing), plan: readPlan(row.plan) }));
}

const selectRuns = statement<Range & { limit: number }, RunView>(
  'read-runs-between',
  `${SELECT_RUNS} where r.project_id = :projectId and r.schedule_id = :scheduleId
     and r.occurrence_at between ${instant(':fromAt')} and ${instant(':toAt')}
   order by r.occurrence_at, r.origin limit :limit`,
);

/** The runs of a schedule in a range, earliest occurrence first. */
export function readRunsBetween(db: Database, range: Range & { limit: number }): Promise<RunView[]> {
  return selectRuns(db, range);
}

/**
 * A stretch of occurrences that did not run, all for the same reason. `fromAt` and `toAt` are its first and its last
 * occurrence.
 */
export interface Gap {
  fromAt: number;
  toAt: number;
  count: number;
  version: number;
  reasonCode: string;
  reason: string;
  createdAt: number;
}

const selectGaps = statement<Range, Gap>(
  'read-gaps-between',
  `select from_at as "fromAt", to_at as "toAt", count, version, reason_code as "reasonCode", reason, created_at as "createdAt"
   from carillon.gaps
   where project_id = :projectId and schedule_id = :scheduleId
     and to_at >= ${instant(':fromAt')} and from_at <= ${instant(':toAt')}
   order by from_at limit ${MAX_GAPS}`,
);

/** The first gaps of a schedule in a range, in order: at most `MAX_GAPS`. */
export function readGapsBetween(db: Database, range: Range): Promise<Gap[]> {
  return selectGaps(db, range);
}

/** How often, and from which claim until when, a run was deferred for one reason before one of its attempts. */
export type DeferralView = RunIdentity & StoryDeferral;

/**
 * A page ends once it has read this many deferrals, attempts, bulk replays or changes of runs. Each query still returns
 * all rows of the last occurrence that it has read. Few pages reach this number, because a page has up to 2,000 runs,
 * and few runs have more than one row of a kind.
 */
export const MAX_STEPS_PER_PAGE = 10_000;

/**
 * SQL: reads the first `MAX_STEPS_PER_PAGE` rows, and also the rows after them that belong to the same occurrence as
 * the last one. The result is ordered by `order`.
 */
export const firstSteps = (rows: string, order: string) =>
  `select * from (${rows} fetch first ${MAX_STEPS_PER_PAGE} rows with ties) as step order by ${order}`;

const OF_RANGE = (row: string) => `${row}.schedule_id = :scheduleId
     and ${row}.occurrence_at between ${instant(':fromAt')} and ${instant(':toAt')}`;

const selectDeferrals = statement<Range, DeferralView>(
  'read-deferrals-between',
  firstSteps(
    `select d.schedule_id as "scheduleId", d.occurrence_at as "occurrenceAt", d.origin, d.attempt, d.reason_code as "reasonCode",
            d.reason, d.from_at as "fromAt", d.until_at as "untilAt", d.count
     from carillon.deferrals d where d.project_id = :projectId and ${OF_RANGE('d')} order by d.occurrence_at`,
    '"occurrenceAt", "fromAt"',
  ),
);

/**
 * Reads the deferrals of the runs in a range: the first `MAX_STEPS_PER_PAGE`, and all others of the last occurrence
 * among them.
 */
export function readDeferralsBetween(db: Database, range: Range): Promise<DeferralView[]> {
  return selectDeferrals(db, range);
}

const selectAttempts = statement<Range, AttemptView & RunIdentity>(
  'read-attempts-between',
  firstSteps(
    `select a.schedule_id as "scheduleId", a.occurrence_at as "occurrenceAt", a.origin, a.number, a.epoch, ${ATTEMPT_COLUMNS('a')}
     from carillon.run_attempts a join carillon.schedules s on s.id = a.schedule_id
     where s.project_id = :projectId and ${OF_RANGE('a')} order by a.occurrence_at`,
    '"occurrenceAt", number',
  ),
);

/** The attempts of the runs in a range, up to `MAX_STEPS_PER_PAGE`. */
export function readAttemptsBetween(db: Database, range: Range): Promise<(AttemptView & RunIdentity)[]> {
  return selectAttempts(db, range);
}

/** A bulk replay that tried the run again: when, and by whom. */
export type BulkReplayView = RunIdentity & StoryReplay;

/**
 * SQL: the bulk replays of runs, over the alias `r` (runs). A bulk replay is left out if retention has deleted its
 * audit entry.
 */
export const SELECT_BULK_REPLAYS = `
   select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin, entry.id, entry.at, entry.actor`;
export const JOIN_BULK_REPLAYS = `
   cross join lateral unnest(r.bulk_replays) as replayed(entry_id)
   join carillon.audit_log entry on entry.id = replayed.entry_id and entry.project_id = r.project_id`;

const selectBulkReplays = statement<Range, BulkReplayView>(
  'read-bulk-replays-between',
  firstSteps(
    `${SELECT_BULK_REPLAYS} from carillon.runs r ${JOIN_BULK_REPLAYS}
     where r.project_id = :projectId and ${OF_RANGE('r')} order by r.occurrence_at`,
    '"occurrenceAt", id',
  ),
);

/** The bulk replays of the runs in a range, up to `MAX_STEPS_PER_PAGE`. */
export function readBulkReplaysBetween(db: Database, range: Range): Promise<BulkReplayView[]> {
  return selectBulkReplays(db, range);
}
