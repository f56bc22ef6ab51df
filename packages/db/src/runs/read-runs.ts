import type { RunIdentity, RunOrigin } from '@carillon/shared';
import { type Database, inTransaction } from '../database.js';
import { instant } from '../instants.js';
import { query, statement, type Values } from '../statement.js';
import { Where } from '../where.js';
import { IN_FLIGHT, IS_RUN, identityOf, type RunStatus } from './run-transitions.js';

export interface AttemptView {
  number: number;
  epoch: number;
  workerId: number | null;
  claimedAt: number | null;
  finishedAt: number | null;
  outcome: 'succeeded' | 'failed' | 'unknown' | 'cancelled' | 'handed_back' | null;
  httpStatus: number | null;
  durationMs: number | null;
  errorCode: string | null;
  error: string | null;
  response: string | null;
  externalId: string | null;
}

export interface RunView extends Omit<AttemptView, 'number' | 'epoch'> {
  scheduleId: number;
  scheduleKey: string;
  origin: RunOrigin;
  occurrenceAt: number;
  status: RunStatus;
  version: number;
  /** The name of the handler, if the target of the run is one. */
  handler: string | null;
  dueAt: number;
  recordedAt: number;
  happenedAt: number;
  attempt: number;
  epoch: number | null;
  replays: number;
  latenessMs: number | null;
  /**
   * When the next attempt may start. Infinity while the schedule is paused, or while the run waits for its turn; null
   * if no attempt is planned.
   */
  nextAttemptAt: number | null;
  progress: unknown;
  reasonCode: string | null;
  reason: string | null;
}

export const ATTEMPT_COLUMNS = (from: string) => `
  ${from}.worker_id as "workerId", ${from}.claimed_at as "claimedAt", ${from}.finished_at as "finishedAt", ${from}.outcome,
  ${from}.http_status as "httpStatus", ${from}.duration_ms as "durationMs", ${from}.error_code as "errorCode", ${from}.error,
  ${from}.response, ${from}.external_id as "externalId"`;

/**
 * A sub-select reads the key of the schedule. With a join, Postgres would look the key up for every run that it reads,
 * instead of only for the runs of the page, after the sort.
 */
export const RUN_COLUMNS = `
  r.schedule_id as "scheduleId", (select key from carillon.schedules s where s.id = r.schedule_id) as "scheduleKey", r.origin,
  r.occurrence_at as "occurrenceAt", r.status, r.version, r.handler, r.due_at as "dueAt",
  r.recorded_at as "recordedAt", r.happened_at as "happenedAt", r.attempt, r.epoch, r.replays, r.lateness_ms as "latenessMs",
  r.next_attempt_at as "nextAttemptAt", r.progress, r.reason_code as "reasonCode", r.reason, ${ATTEMPT_COLUMNS('r')}`;

export const SELECT_RUNS = `select ${RUN_COLUMNS} from carillon.runs r`;

const selectRun = statement<Values, RunView>(
  'read-run',
  `${SELECT_RUNS} where r.project_id = :projectId and ${IS_RUN}`,
);

export async function readRun(db: Database, projectId: number, run: RunIdentity): Promise<RunView | null> {
  const [row] = await selectRun(db, { projectId, ...identityOf(run) });
  return row ?? null;
}

const selectAttempts = statement<Values, AttemptView>(
  'read-attempts',
  `select r.number, r.epoch, ${ATTEMPT_COLUMNS('r')}
   from carillon.run_attempts r join carillon.schedules s on s.id = r.schedule_id
   where s.project_id = :projectId and ${IS_RUN} order by r.number`,
);

/** All attempts of a run of this project, first to last. */
export function readAttempts(db: Database, projectId: number, run: RunIdentity): Promise<AttemptView[]> {
  return selectAttempts(db, { projectId, ...identityOf(run) });
}

export interface RunFilter {
  scheduleKey?: string | undefined;
  status?: RunStatus | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** The last run of a page. The next page begins after it. */
export interface RunCursor extends RunIdentity {
  happenedAt: number;
}

export interface RunPage {
  runs: RunView[];
  /**
   * The run after which the next page begins, if this page ended because it had read its maximum number of runs; else
   * null.
   */
  stoppedAt: RunCursor | null;
}

interface LookedAt extends RunView {
  isMatch: boolean;
  n: number;
}

/**
 * Makes the planner read runs in the order of the primary key. Otherwise it expects few runs per schedule, and might
 * read and sort a million of them.
 */
function inKeyOrder<T>(db: Database, read: (db: Database) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await tx.query('set local enable_sort = off; set local enable_seqscan = off');
    return read(tx);
  });
}

/** How a list of runs is read: its source, its condition and its order. */
interface Listing {
  source: string;
  condition: string | null;
  /** The instant by which runs are sorted. Runs with the same instant are sorted by their identity. */
  by: 'happened_at' | 'failed_at' | 'occurrence_at';
  /**
   * Maximum number of runs that one page reads. The limit is higher for lists whose runs lie next to each other in the
   * table, because such runs are read faster.
   */
  maxLookedAt: number;
}

function listingOf({ scheduleKey, status }: RunFilter): Listing {
  const runs = { source: 'carillon.runs r', condition: null };
  if (status === 'running')
    return { ...runs, source: IN_FLIGHT, by: 'happened_at', maxLookedAt: Number.MAX_SAFE_INTEGER };
  // Waiting runs are few, and have an index of their own.
  if (status === 'queued' || status === 'retrying')
    return {
      ...runs,
      condition: 'r.next_attempt_at is not null',
      by: 'happened_at',
      maxLookedAt: Number.MAX_SAFE_INTEGER,
    };
  if (scheduleKey !== undefined) return { ...runs, by: 'occurrence_at', maxLookedAt: 2_000 };
  // A failed run is not changed while it stays failed, so `failed_at` is the time of its last change.
  if (status === 'failed')
    return { ...runs, condition: 'r.failed_at is not null', by: 'failed_at', maxLookedAt: 2_000 };
  return { ...runs, by: 'happened_at', maxLookedAt: 20_000 };
}

/**
 * Lists the runs of a project, the latest change first. The runs of a single schedule are listed by their occurrences
 * instead, the latest first. A page reads a limited number of runs. If few of them match the filter, the page ends
 * early and says where to continue.
 */
export async function listRuns(
  db: Database,
  {
    projectId,
    filter,
    limit,
    after,
  }: { projectId: number; filter: RunFilter; limit: number; after: RunCursor | null },
): Promise<RunPage> {
  const { source, condition, by, maxLookedAt } = listingOf(filter);
  const base = new Where()
    .add('projectId', projectId, 'r.project_id = :projectId')
    .add(
      'scheduleKey',
      filter.scheduleKey,
      'r.schedule_id = (select id from carillon.schedules where project_id = :projectId and key = :scheduleKey)',
    );
  if (condition) base.always(condition);
  if (after) {
    Object.assign(base.parameters, { ...identityOf(after), happenedAt: after.happenedAt });
    const at = by === 'occurrence_at' ? ':occurrenceAt' : ':happenedAt';
    base.always(`(r.${by}, r.schedule_id, r.occurrence_at, r.origin)
      < (${instant(at)}, :scheduleId::bigint, ${instant(':occurrenceAt')}, :origin::carillon.run_origin)`);
  }
  const match = new Where()
    .always('true')
    .add('status', filter.status, 'r.status = :status')
    .add('from', filter.from, 'r.occurrence_at >= :from::timestamptz')
    .add('to', filter.to, 'r.occurrence_at <= :to::timestamptz');
  const identity = 'r.schedule_id desc, r.occurrence_at desc, r.origin desc';
  const order = by === 'occurrence_at' ? identity : `r.${by} desc, ${identity}`;
  // Postgres reads both sub-selects row by row, and only until the outer limit is reached.
  const text = `select ${RUN_COLUMNS}, n, ${match.sql} as "isMatch"
     from (
       select *, row_number() over () as n
       from (select r.* from ${source} where ${base.sql} order by ${order} limit :maxLookedAt) as r
     ) as r
     where (${match.sql}) or n = :maxLookedAt limit :limit`;
  const parameters = { ...base.parameters, ...match.parameters, maxLookedAt, limit };
  const read = (db: Database) => query<LookedAt>(db, text, parameters);
  const rows = await (by === 'occurrence_at' ? inKeyOrder(db, read) : read(db));
  const last = rows.at(-1);
  return {
    runs: rows.filter(({ isMatch }) => isMatch).map(({ isMatch: _isMatch, n: _n, ...run }) => run),
    stoppedAt: last && last.n === maxLookedAt ? last : null,
  };
}
