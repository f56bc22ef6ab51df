import type { Database } from '../database.js';
import { fromMs } from '../sql-text.js';
import { changeRun, IS_RUN, type RunChangeRequest, runValues } from './change-run.js';
import { type ChangeResult, Refused } from './change-schedule.js';
import { promoteLocked } from './promote-queued.js';

const OPEN = ['queued', 'running', 'retrying'];

/** Cancels one run. Where a worker has it in hand, that one is told to stop, and whatever it still writes is refused. */
export function cancelRun(db: Database, request: RunChangeRequest): Promise<ChangeResult<void>> {
  return changeRun(db, request, async (tx, schedule, status) => {
    if (!OPEN.includes(status)) throw new Refused(`the run is ${status} already`);
    await tx.query(
      `update runs
       set status = 'cancelled', open = null, next_attempt_at = null, finished_at = ${fromMs('$4::bigint')},
           outcome = (case when status = 'running' then 'cancelled' else outcome::text end)::attempt_outcome,
           reason_code = 'cancelled', reason = $5
       where ${IS_RUN}`,
      [...runValues(request.run), schedule.nowAt, `cancelled by ${request.actor}`],
    );
    const promoted = schedule.counted && schedule.status !== 'paused' ? await promoteLocked(tx, schedule) : 0;
    return {
      value: undefined,
      dueAts: promoted > 0 ? [schedule.nowAt] : [],
      audit: { action: 'run.cancelled' },
    };
  });
}
