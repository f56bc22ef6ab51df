import type { RunIdentity, RunOrigin } from '@carillon/shared';
import type { Database } from '../database.js';
import { fromMs } from '../sql-text.js';
import { Where } from './where.js';

export type RunStatus = 'queued' | 'running' | 'retrying' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';

export interface AttemptView {
  number: number;
  epoch: number;
  workerId: number | null;
  claimedAt: Date | null;
  finishedAt: Date | null;
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
  occurrenceAt: Date;
  status: RunStatus;
  version: number;
  dueAt: Date;
  enqueuedAt: Date;
  attempt: number;
  epoch: number | null;
  replays: number;
  nextAttemptAt: Date | null;
  progress: unknown;
  reasonCode: string | null;
  reason: string | null;
}

const ATTEMPT = (from: string) => `${from}.worker_id as "workerId", ${from}.claimed_at as "claimedAt",
  ${from}.finished_at as "finishedAt", ${from}.outcome, ${from}.http_status as "httpStatus", ${from}.duration_ms as "durationMs",
  ${from}.error_code as "errorCode", ${from}.error, ${from}.response, ${from}.external_id as "externalId"`;

/** Not a join: of a herd, all of which has to be sorted, only the keys of the page are looked up. */
const KEY =
  '(select key from schedule_versions v where v.schedule_id = r.schedule_id and v.version = r.version)';

const selectFrom = (source: 'every_run' | 'runs_in_flight') => `
  select r.schedule_id as "scheduleId", ${KEY} as "scheduleKey", r.origin, r.occurrence_at as "occurrenceAt", r.status, r.version,
         r.due_at as "dueAt", r.enqueued_at as "enqueuedAt", r.attempt, r.epoch, r.replays, r.next_attempt_at as "nextAttemptAt",
         r.progress, r.reason_code as "reasonCode", r.reason, ${ATTEMPT('r')}
  from ${source} r`;

export const SELECT_RUNS = selectFrom('every_run');

const IS_RUN = (from: string) =>
  `${from}.schedule_id = $2 and ${from}.occurrence_at = ${fromMs('$3::bigint')} and ${from}.origin = $4`;

export async function readRun(db: Database, projectId: number, run: RunIdentity): Promise<RunView | null> {
  const { rows } = await db.query<RunView>({
    name: 'read-run',
    text: `${SELECT_RUNS} where r.project_id = $1 and ${IS_RUN('r')}`,
    values: [projectId, run.scheduleId, run.occurrenceAt, run.origin],
  });
  return rows[0] ?? null;
}

/** All attempts of a run of this project, first to last. */
export async function readAttempts(
  db: Database,
  projectId: number,
  run: RunIdentity,
): Promise<AttemptView[]> {
  const { rows } = await db.query<AttemptView>({
    name: 'read-attempts',
    text: `select a.number, a.epoch, ${ATTEMPT('a')}
           from run_attempts a join every_schedule s on s.id = a.schedule_id
           where s.project_id = $1 and ${IS_RUN('a')} order by a.number`,
    values: [projectId, run.scheduleId, run.occurrenceAt, run.origin],
  });
  return rows;
}

export interface RunFilter {
  scheduleKey?: string | undefined;
  status?: RunStatus | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** The last run of a page: the next one begins behind it. */
export type RunCursor = RunIdentity;

/** Where a status is rare, what the engine keeps for its own use leads to it without a walk through the history. */
const SHORT_CUTS: Partial<Record<RunStatus, string>> = {
  queued: 'r.open',
  retrying: 'r.open',
  failed: 'r.failed_at is not null',
};

/** Latest occurrence first. */
export async function listRuns(
  db: Database,
  {
    projectId,
    filter,
    limit,
    after,
  }: { projectId: number; filter: RunFilter; limit: number; after: RunCursor | null },
): Promise<RunView[]> {
  const where = new Where(projectId)
    .always('r.project_id = $1')
    .add(
      filter.scheduleKey,
      (key) => `r.schedule_id = (select id from every_schedule where project_id = $1 and key = ${key})`,
    )
    .add(filter.status, (status) => `r.status = ${status}`)
    .add(filter.from, (at) => `r.occurrence_at >= ${at}::timestamptz`)
    .add(filter.to, (at) => `r.occurrence_at <= ${at}::timestamptz`);
  const shortCut = filter.status && SHORT_CUTS[filter.status];
  if (shortCut) where.always(shortCut);
  if (after) {
    const [at, id, origin] = [after.occurrenceAt, after.scheduleId, after.origin].map((value) =>
      where.place(value),
    );
    // The first comparison is implied by the second, and is what partitions are left out by.
    where.always(`r.occurrence_at <= ${fromMs(`${at}::bigint`)}`);
    where.always(
      `(r.occurrence_at, r.schedule_id, r.origin) < (${fromMs(`${at}::bigint`)}, ${id}::bigint, ${origin}::run_origin)`,
    );
  }
  const { rows } = await db.query<RunView>(
    `${selectFrom(filter.status === 'running' ? 'runs_in_flight' : 'every_run')} where ${where.sql}
     order by r.occurrence_at desc, r.schedule_id desc, r.origin desc limit ${where.place(limit)}`,
    where.values,
  );
  return rows;
}
