import type { Transaction } from '../database.js';
import { isConflict } from '../errors.js';
import { cancelSchedule } from '../schedules/cancel-schedule.js';
import type { ChangeResult } from '../schedules/change-schedule.js';
import { triggerSchedule } from '../schedules/trigger-backfill.js';
import type { SqlRequest } from './lock-requests.js';

/**
 * How long a request waits for the lock of its schedule. A transaction of the user may hold that lock for minutes, and
 * the other requests must not wait for it.
 */
const LOCK_TIMEOUT = '20ms';

export type RequestedChange =
  | { kind: 'changed'; dueAts: number[]; isNewCancel: boolean }
  | { kind: 'refused'; reason: string }
  /** Another transaction has locked the schedule. The next sweep tries the request again. */
  | { kind: 'blocked' };

/** Carries out a cancel or a trigger in the transaction that has locked its request. */
export async function changeRequested(
  tx: Transaction,
  request: SqlRequest,
  now: number | null,
): Promise<RequestedChange> {
  const { projectId, key, actor } = request;
  const change = { ref: { projectId, key }, actor, now };
  await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  try {
    return request.action === 'cancel'
      ? describe(request, await cancelSchedule(tx, change), ({ isNew }) => isNew)
      : describe(request, await triggerSchedule(tx, change), () => false);
  } catch (error) {
    // The change has rolled back to its savepoint, so the transaction can go on.
    if (isConflict(error)) return { kind: 'blocked' };
    throw error;
  } finally {
    await tx.query('set local lock_timeout to default').catch(() => {}); // A broken connection ends the transaction.
  }
}

function describe<T>(
  { key }: SqlRequest,
  result: ChangeResult<T>,
  isNewCancel: (value: T) => boolean,
): RequestedChange {
  if (result.kind === 'changed')
    return { kind: 'changed', dueAts: result.dueAts, isNewCancel: isNewCancel(result.value) };
  const reason = result.kind === 'refused' ? result.reason : `there is no schedule with the id ${key}`;
  return { kind: 'refused', reason };
}
