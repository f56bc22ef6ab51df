import type { RunIdentity } from '@carillon/shared';
import type { Database } from '../database.js';
import { instant } from '../instants.js';
import { RUN_COLUMNS, type RunView, SELECT_RUNS } from '../runs/read-runs.js';
import { isSameRun, RUN_KEY_COLUMNS, type RunKey } from '../runs/run-transitions.js';
import { EPOCH_NOW } from '../schema/workers.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';

/**
 * The position from which a stream of events begins: the latest epoch (the number of a lease; each claim gets a larger
 * one) and the latest audit entry.
 */
export interface Watermark {
  epoch: number;
  auditId: number;
  /** By Postgres's clock. */
  at: number;
}

const selectWatermark = statement<{ projectId: number }, Watermark>(
  'read-watermark',
  `select ${EPOCH_NOW} as epoch,
          (select coalesce(max(id), 0) from carillon.audit_log where project_id = :projectId) as "auditId",
          clock_timestamp() as at`,
);

export async function readWatermark(db: Database, projectId: number): Promise<Watermark> {
  const [row] = await selectWatermark(db, { projectId });
  return row as Watermark;
}

/** A run that has been claimed, with the epoch of its last claim and the month that selects its partition. */
export interface ClaimedRunView extends RunView {
  epoch: number;
  month: string;
}

const SELECT_CLAIMED = `select r.month, ${RUN_COLUMNS} from carillon.runs r`;

const selectByEpoch = statement<Values, ClaimedRunView>(
  'read-runs-by-epoch',
  `${SELECT_CLAIMED} where r.project_id = :projectId and r.epoch > :afterEpoch
     and r.epoch not in (select unnest(:except::bigint[]))
   order by r.epoch fetch first (:limit) rows with ties`,
);

/**
 * The runs of a project that were claimed after a given epoch, except under the epochs that have been read. An epoch is
 * the number of a lease; each claim gets a larger one. Runs have an index by epoch anyway, so the event stream needs no
 * writes of its own.
 *
 * The runs of a lease are claimed in one transaction, and all of them are returned, even beyond the limit. So an epoch
 * that has been returned need not be read again.
 */
export function readRunsByEpoch(
  db: Database,
  { except, ...range }: { projectId: number; afterEpoch: number; except: readonly number[]; limit: number },
): Promise<ClaimedRunView[]> {
  return selectByEpoch(db, { ...range, except: arrayOf(except) });
}

const inFlight = batch<RunKey & { epoch: number }>('in_flight', { ...RUN_KEY_COLUMNS, epoch: 'bigint' });

const selectEnded = statement<Values, ClaimedRunView>(
  'read-ended-runs',
  `${SELECT_CLAIMED} join ${inFlight.source} on ${isSameRun('r', 'in_flight')} and r.epoch = in_flight.epoch
   where r.status <> 'running'`,
);

/** Reads the given runs, and leaves out those that are still in flight or have been claimed again. */
export async function readEndedRuns(
  db: Database,
  runs: readonly (RunKey & { epoch: number })[],
): Promise<ClaimedRunView[]> {
  return runs.length === 0 ? [] : selectEnded(db, inFlight.of(runs));
}

const selectInFlight = statement<{ projectId: number; limit: number }, ClaimedRunView>(
  'read-in-flight-of-project',
  `${SELECT_CLAIMED} where r.project_id = :projectId and r.epoch in (select epoch from carillon.leases)
     and r.status = 'running'
   limit :limit`,
);

/** The runs of a project that are in flight. A stream of events that begins now has yet to report their end. */
export function readInFlightOfProject(
  db: Database,
  range: { projectId: number; limit: number },
): Promise<ClaimedRunView[]> {
  return selectInFlight(db, range);
}

/**
 * A position among the runs of a project, ordered by the time of their last change. If `run` is null, the position is
 * before all changes of that instant.
 */
export interface HistoryPosition {
  happenedAt: number;
  run: RunIdentity | null;
}

interface HistoryPage {
  projectId: number;
  after: HistoryPosition;
  limit: number;
}

const IN_ORDER = 'order by r.happened_at, r.schedule_id, r.occurrence_at, r.origin limit :limit';
const IS_AFTER = `(r.happened_at, r.schedule_id, r.occurrence_at, r.origin)
  > (${instant(':happenedAt')}, :scheduleId::bigint, ${instant(':occurrenceAt')}, :origin::carillon.run_origin)`;

const selectSince = statement<Values, RunView>(
  'read-runs-since',
  `${SELECT_RUNS} where r.project_id = :projectId and ${IS_AFTER} ${IN_ORDER}`,
);

const selectStops = statement<Values, RunView>(
  'read-stopped-runs',
  `${SELECT_RUNS} where r.project_id = :projectId and ${IS_AFTER} and r.status in ('skipped', 'cancelled') ${IN_ORDER}`,
);

const pageValues = ({ projectId, after: { happenedAt, run }, limit }: HistoryPage): Values => ({
  projectId,
  limit,
  happenedAt,
  scheduleId: run?.scheduleId ?? 0,
  occurrenceAt: run?.occurrenceAt ?? 0,
  origin: run?.origin ?? 'rule',
});

/** The runs that changed since a position, oldest first: for a client of the event stream that reconnects. */
export function readRunsSince(db: Database, page: HistoryPage): Promise<RunView[]> {
  return selectSince(db, pageValues(page));
}

/**
 * The runs that were skipped or cancelled since a position, oldest first. They can't be found by a new epoch (the
 * number of a lease): a skipped run was never claimed, and a run that was cancelled while it waited keeps the epoch of
 * its last attempt, if it had one.
 */
export function readStoppedRuns(db: Database, page: HistoryPage): Promise<RunView[]> {
  return selectStops(db, pageValues(page));
}
