import type { Transaction } from '../database.js';
import { isConflict, isDatabaseAway } from '../errors.js';
import { missingMonth } from '../history/partitions.js';
import { cancelSchedule } from '../schedules/cancel-schedule.js';
import type { ChangeResult } from '../schedules/change-schedule.js';
import { triggerSchedule } from '../schedules/trigger-backfill.js';
import type { SqlRequest } from './lock-requests.js';
import { triggerInBatch } from './trigger-batch.js';

/**
 * How long a request by SQL waits for the lock of its schedule. A transaction of the user may hold that lock for
 * minutes, and the other requests must not wait for it.
 */
const LOCK_TIMEOUT = '20ms';

type RequestedChange =
  | { kind: 'changed'; dueAts: number[]; isNewCancel: boolean }
  | { kind: 'refused'; reason: string };

/** The result of a request by SQL that was carried out or refused. */
export type HandledChange = { request: SqlRequest } & RequestedChange;

/**
 * Carries out calls of the SQL functions `cancel` and `trigger` (which runs a schedule now), all of one project, in the
 * transaction that has locked these requests. The caller passes at most one request for each schedule. A request whose
 * schedule is locked by another transaction is left for the next sweep.
 */
export async function changeRequested(
  tx: Transaction,
  { projectId, requests }: { projectId: number; requests: readonly SqlRequest[] },
): Promise<HandledChange[]> {
  const triggers = requests.filter(({ action }) => action === 'trigger');
  const handled = await triggerInBatch(tx, { projectId, requests: triggers });
  const handledRequests = new Set(handled.map(({ request }) => request));
  const others = requests.filter((request) => !handledRequests.has(request));
  if (others.length === 0) return handled;
  await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  for (const request of others) {
    const change = await changeOne(tx, request);
    if (change) handled.push({ request, ...change });
  }
  await tx.query('set local lock_timeout to default');
  return handled;
}

/**
 * Carries out one request. Returns null if another transaction is in the way, for example because it has locked the
 * schedule.
 */
async function changeOne(tx: Transaction, request: SqlRequest): Promise<RequestedChange | null> {
  const { projectId, key, actor } = request;
  const change = { ref: { projectId, key }, actor };
  try {
    return request.action === 'cancel'
      ? describe(request, await cancelSchedule(tx, change), ({ isNew }) => isNew)
      : describe(request, await triggerSchedule(tx, change), () => false);
  } catch (error) {
    // The change has rolled back to its savepoint, so the transaction can go on.
    if (isConflict(error)) return null;
    if (isDatabaseAway(error) || missingMonth(error) !== null) throw error;
    return { kind: 'refused', reason: `it could not be carried out: ${(error as Error).message}` };
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
