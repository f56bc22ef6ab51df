import type { Transaction } from '../database.js';
import { NOW } from '../instants.js';
import type { RunKey } from '../runs/run-transitions.js';
import { definitionOf } from '../schedules/definition.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';
import { type ClaimedRun, isDeliverable } from './claim.js';
import { INSTALLATION_IS_RELEASED } from './fencing.js';
import { divideBatch, type ProjectShare, SHARES, type ShareParameters } from './project-shares.js';

/** A locked run that waits for its next attempt. */
export interface WaitingRun
  extends RunKey,
    Pick<
      ClaimedRun,
      | 'projectId'
      | 'dueAt'
      | 'attempt'
      | 'freeAttempts'
      | 'replays'
      | 'hasBegun'
      | 'recordedAt'
      | 'deferredFromAt'
    > {
  version: number;
  nowAt: number;
}

export interface WaitingSchedule {
  id: number;
  key: string;
  isCounted: boolean;
  status: 'active' | 'paused' | 'cancelled';
}

const WAITING = `
  select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin, r.month, r.project_id as "projectId", r.version,
         r.due_at as "dueAt", r.attempt, r.free_attempts as "freeAttempts", r.replays, r.lateness_ms is not null as "hasBegun",
         r.recorded_at as "recordedAt", case when r.lateness_ms is null and r.status = 'retrying' then (
           select min(d.from_at) from carillon.deferrals d where d.schedule_id = r.schedule_id
             and d.occurrence_at = r.occurrence_at and d.origin = r.origin
         ) end as "deferredFromAt", ${NOW} as "nowAt"
  from carillon.runs r
  where r.next_attempt_at <= ${NOW} and ${isDeliverable('r')} and ${INSTALLATION_IS_RELEASED}`;

interface LockParameters {
  limit: number;
  handlers: string;
  now: number | null;
}

const lockEarliest = statement<LockParameters, WaitingRun>(
  'lock-waiting',
  `${WAITING} order by r.next_attempt_at limit :limit for update skip locked`,
);

const lockShares = statement<LockParameters & ShareParameters, WaitingRun>(
  'lock-waiting-by-shares',
  `select waiting.* from ${SHARES}, lateral (
     ${WAITING} and r.project_id = share.project_id
     order by r.next_attempt_at limit share.most for update skip locked
   ) as waiting
   limit :limit`,
);

/** Locks the runs that may start now. If `fairTo` names projects, each of them gets its share of the batch. */
export function lockWaitingRuns(
  tx: Transaction,
  {
    limit,
    handlers,
    now,
    fairTo = [],
  }: { limit: number; handlers: readonly string[]; now: number | null; fairTo?: readonly ProjectShare[] },
): Promise<WaitingRun[]> {
  const options = { limit, handlers: arrayOf(handlers), now };
  return fairTo.length > 0
    ? lockShares(tx, { ...options, ...divideBatch(limit, fairTo) })
    : lockEarliest(tx, options);
}

const versions = batch<{ scheduleId: number; version: number; place: number }>('run', {
  scheduleId: 'bigint',
  version: 'int',
  place: 'int',
});

const measurePayloads = statement<Values, { place: number; bytes: number }>(
  'measure-payloads',
  `select run.place, octet_length(definition.payload) as bytes from ${versions.source} ${definitionOf('run')}
   where definition.payload is not null`,
);

/**
 * Shortens the list, so that the payloads of its runs have a total of at most `maxBytes`. The first run always stays,
 * however large its payload is.
 */
export async function withinBytes(
  tx: Transaction,
  waiting: readonly WaitingRun[],
  maxBytes: number | undefined,
): Promise<readonly WaitingRun[]> {
  if (maxBytes === undefined || waiting.length < 2) return waiting;
  const rows = waiting.map(({ scheduleId, version }, place) => ({ scheduleId, version, place }));
  const measured = await measurePayloads(tx, versions.of(rows));
  let total = 0;
  for (const { place, bytes } of measured.toSorted((a, b) => a.place - b.place)) {
    total += bytes;
    if (total > maxBytes && place > 0) return waiting.slice(0, place);
  }
  return waiting;
}

/**
 * Skips schedules that another transaction has locked. An edit, pause or cancel locks the schedule and then its runs,
 * but this claim locks the runs and then their schedules. So a claim that waited here could deadlock with an edit.
 */
const lockSchedules = statement<{ ids: string }, WaitingSchedule>(
  'lock-schedules-of-waiting',
  `select id, key, is_counted as "isCounted", status from carillon.schedules where id = any(:ids::bigint[])
   for share skip locked`,
);

/**
 * Locks the schedules of these runs and returns them by id. Schedules that another transaction has locked are left out.
 */
export async function lockSchedulesOf(
  tx: Transaction,
  waiting: readonly Pick<WaitingRun, 'scheduleId'>[],
): Promise<Map<number, WaitingSchedule>> {
  if (waiting.length === 0) return new Map();
  const ids = [...new Set(waiting.map(({ scheduleId }) => scheduleId))];
  const rows = await lockSchedules(tx, { ids: arrayOf(ids) });
  return new Map(rows.map((row) => [row.id, row]));
}
