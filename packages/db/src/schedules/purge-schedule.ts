import { encodeRunId } from '@carillon/shared';
import { type Database, inTransaction } from '../database.js';
import { readInFlight } from '../runs/read-in-flight.js';
import { arrayOf } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';
import { cancelSchedule } from './cancel-schedule.js';
import type { ChangeRequest, ChangeResult } from './change-schedule.js';
import { lockSchedule } from './locked-schedule.js';
import { RUNS_PER_STATEMENT, removeAttempts, removeRuns, removeSchedules } from './remove-schedules.js';

export interface PurgeResult {
  /** False if the schedule was cancelled before this call. */
  isNew: boolean;
}

/** The action that the audit entry of a purge names. */
export const PURGED_ACTION = 'schedule.purged';

/**
 * Removes a schedule with its history; its id is free afterwards. The audit log keeps its entries. The schedule is
 * cancelled first, so that nothing fires while its runs are deleted in batches. A purge that was interrupted leaves a
 * cancelled schedule, and can be repeated.
 *
 * The audit entry is committed before the first batch. If a worker remembers a run that is gone, this entry tells it
 * that the run was purged. Without the entry, the worker would conclude that Postgres has lost transactions.
 */
export async function purgeSchedule(
  db: Database,
  request: ChangeRequest,
): Promise<ChangeResult<PurgeResult>> {
  const stopped = await stop(db, request);
  if (stopped.kind !== 'changed') return stopped;
  const { id, isNew } = stopped.value;
  const ids = arrayOf([id]);
  for (const removeBatch of [removeAttempts, removeRuns])
    while ((await removeBatch(db, { ids })).length === RUNS_PER_STATEMENT);
  return inTransaction(db, async (tx) => {
    const schedule = await lockSchedule(tx, { id }, request.now ?? null);
    if (!schedule) return { kind: 'changed', value: { isNew }, dueAts: [] };
    // A PUT may have revived the schedule meanwhile.
    if (schedule.status === 'active' || schedule.status === 'paused')
      return { kind: 'refused', reason: 'another request has recreated the schedule meanwhile' };
    await removeAttempts(tx, { ids });
    await removeRuns(tx, { ids });
    await removeSchedules(tx, { ids });
    return { kind: 'changed', value: { isNew }, dueAts: [] };
  });
}

/**
 * Cancels the schedule unless it has ended, and records the purge. Refuses while runs are in flight, because their
 * results would be lost.
 */
function stop(db: Database, request: ChangeRequest): Promise<ChangeResult<{ id: number; isNew: boolean }>> {
  return inTransaction(db, async (tx) => {
    const schedule = await lockSchedule(tx, request.ref, request.now ?? null);
    if (!schedule) return { kind: 'not_found' };
    const { id, status, version } = schedule;
    if (request.ifMatch != null && request.ifMatch !== version) return { kind: 'stale', version };
    const inFlight = (await readInFlight(tx, id)).map(encodeRunId);
    if (inFlight.length > 0) {
      const reason = `runs are in flight (${inFlight.join(', ')}); cancel it without purge, and purge it when they have ended`;
      return { kind: 'refused', reason };
    }
    const isNew = status === 'active' || status === 'paused';
    if (isNew) {
      const cancelled = await cancelSchedule(tx, { ...request, ref: { id } });
      if (cancelled.kind !== 'changed') return cancelled;
    }
    await recordAudit(tx, {
      ...schedule,
      actor: request.actor,
      action: PURGED_ACTION,
      now: request.now ?? null,
    });
    return { kind: 'changed', value: { id, isNew }, dueAts: [] };
  });
}
