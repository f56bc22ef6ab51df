import type { Pool } from 'pg';
import { inFireTransaction, type Transaction } from '../database.js';
import { instant } from '../instants.js';
import { cancelWaitingRuns, holdWaitingRuns } from '../runs/stop-runs.js';
import { arrayOf, statement, type Values } from '../statement.js';
import { lockManyAgendas, lockManySchedules } from './locked-schedule.js';
import type { Pause } from './pause-schedule.js';
import { CANCEL, HOLD_AGENDA, leaveAgendaOf, PAUSE, totalsOfRemoved } from './schedule-transitions.js';

/** The schedules to change, and the actor who asks for it. */
export interface StopRequest {
  projectId: number;
  ids: readonly number[];
  actor: string;
}

export interface StopManyResult {
  /** Number of schedules that were stopped. */
  changed: number;
  /** Schedules that were cancelled before this call. */
  refusals: { id: string; reason: string }[];
  /**
   * Schedules that must be changed one by one: their status does not allow a change together with others, or (for a
   * cancel) their next occurrence is past.
   */
  others: string[];
}

interface Candidate {
  id: number;
  key: string;
  status: 'active' | 'paused' | 'cancelled';
  /** The earlier of the next occurrence and its due time; null if there is no next occurrence. */
  nextAt: number | null;
}

const readCandidates = statement<{ ids: string }, Candidate & { nowAt: number }>(
  'read-many-schedules',
  `select s.id, s.key, s.status, least(a.occurrence_at, a.due_at) as "nextAt", (select clock_timestamp()::timestamptz(3)) as "nowAt"
   from carillon.schedules s left join carillon.agenda a on a.schedule_id = s.id where s.id = any(:ids::bigint[])`,
);

/**
 * Locks many schedules in ascending order, and waits while another transaction, such as a claim, has locked one of
 * them. Then applies `stop` to the schedules for which `fits` is true. The time is read once, after the locks were
 * taken.
 */
function stopMany(
  pool: Pool,
  { projectId, ids, isCancel = false }: StopRequest & { isCancel?: boolean },
  fits: (candidate: Candidate, nowAt: number) => boolean,
  stop: (tx: Transaction, ids: number[], nowAt: number) => Promise<void>,
): Promise<StopManyResult> {
  return inFireTransaction(pool, async (tx) => {
    const locked = arrayOf(
      (await lockManySchedules(tx, { projectId, ids: arrayOf(ids) })).map(({ id }) => id),
    );
    await lockManyAgendas(tx, { ids: locked });
    const candidates = await readCandidates(tx, { ids: locked });
    const nowAt = candidates[0]?.nowAt ?? 0;
    const fitting = candidates.filter((candidate) => fits(candidate, nowAt));
    if (fitting.length > 0)
      await stop(
        tx,
        fitting.map(({ id }) => id),
        nowAt,
      );
    const rest = candidates.filter((candidate) => !fitting.includes(candidate));
    const isRefused = ({ status }: Candidate) => isCancel && status === 'cancelled';
    return {
      changed: fitting.length,
      refusals: rest.filter(isRefused).map(({ key }) => ({ id: key, reason: 'it is cancelled already' })),
      others: rest.filter((candidate) => !isRefused(candidate)).map(({ key }) => key),
    };
  });
}

const pauseAll = statement<Values>(
  'pause-many',
  `with paused as (
     update carillon.schedules
     set ${PAUSE}
     where id = any(:ids::bigint[]) returning id, project_id, key, version
   ), held as (
     ${HOLD_AGENDA}
   )
   insert into carillon.audit_log (project_id, actor, action, subject, detail, at)
   select project_id, :actor, 'schedule.paused', key, :detail::json, ${instant(':now')} from paused`,
);

export function pauseMany(pool: Pool, request: StopRequest, pause: Pause): Promise<StopManyResult> {
  // An active schedule that has left the agenda is finished: there is nothing to pause.
  const fits = ({ status, nextAt }: Candidate) =>
    status === 'paused' || (status === 'active' && nextAt !== null);
  return stopMany(pool, request, fits, async (tx, ids, nowAt) => {
    const detail = JSON.stringify(pause);
    await pauseAll(tx, { ids: arrayOf(ids), now: nowAt, actor: request.actor, detail, ...pause });
    await holdWaitingRuns(tx, { scheduleIds: ids });
  });
}

/**
 * Cancels schedules that are all on the agenda. The same update also stores their totals, because a second update would
 * write to the many indexes of `schedules` again.
 */
const cancelAll = statement<Values>(
  'cancel-many',
  `with removed as (
     ${leaveAgendaOf(':ids')}
   ), cancelled as (
     update carillon.schedules s
     set ${CANCEL}, ${totalsOfRemoved({ runsAdded: '0' })}
     from removed where s.id = removed.schedule_id returning s.project_id, s.key
   )
   insert into carillon.audit_log (project_id, actor, action, subject, at)
   select project_id, :actor, 'schedule.cancelled', key, ${instant(':now')} from cancelled`,
);

export function cancelMany(pool: Pool, request: StopRequest): Promise<StopManyResult> {
  // A past occurrence must be recorded as skipped, even if jitter or a reschedule has made it due later. Such schedules
  // are cancelled one by one.
  const fits = ({ status, nextAt }: Candidate, nowAt: number) =>
    status !== 'cancelled' && nextAt !== null && nextAt > nowAt;
  return stopMany(pool, { ...request, isCancel: true }, fits, async (tx, ids, nowAt) => {
    const reason = `its schedule was cancelled by ${request.actor}`;
    await cancelAll(tx, { ids: arrayOf(ids), now: nowAt, actor: request.actor });
    await cancelWaitingRuns(tx, { scheduleIds: ids, now: nowAt, reasonCode: 'schedule_cancelled', reason });
  });
}
