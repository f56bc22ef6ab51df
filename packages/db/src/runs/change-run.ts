import { concurrentRuns, encodeRunId, type RunIdentity } from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { countOpenRuns } from '../engine/admit-runs.js';
import { instant } from '../instants.js';
import {
  type Change,
  ChangeRefused,
  type ChangeResult,
  changeSchedule,
} from '../schedules/change-schedule.js';
import type { LockedSchedule } from '../schedules/locked-schedule.js';
import { promoteLocked } from '../schedules/promote-queued.js';
import { statement, type Values } from '../statement.js';
import {
  cancel,
  IS_RUN,
  identityOf,
  MAX_REPLAYS,
  RUN_TRANSITIONS,
  type RunStatus,
  replay,
} from './run-transitions.js';

/** The run to change and the actor who asks for it. */
export interface RunChangeRequest {
  projectId: number;
  run: RunIdentity;
  actor: string;
  now?: number | null;
}

const selectRun = statement<Values, object>(
  'is-run-of-project',
  `select from carillon.runs r where ${IS_RUN} and r.project_id = :projectId`,
);
export interface LockedRun {
  status: RunStatus;
  attempt: number;
  replays: number;
}

const lockRun = statement<Values, LockedRun>(
  'lock-run',
  `select r.status, r.attempt, r.replays from carillon.runs r where ${IS_RUN} for update`,
);

/** Makes one change to one run. Like every change by the API, it locks the schedule first and the run second. */
export async function changeRun<T>(
  db: Database,
  { projectId, run, actor, now = null }: RunChangeRequest,
  change: (tx: Transaction, schedule: LockedSchedule, run: LockedRun) => Promise<Change<T>>,
): Promise<ChangeResult<T>> {
  if ((await selectRun(db, { ...identityOf(run), projectId })).length === 0) return { kind: 'not_found' };
  return changeSchedule(db, { ref: { id: run.scheduleId }, actor, now }, async (tx, schedule) => {
    const [locked] = await lockRun(tx, identityOf(run));
    if (!locked) throw new ChangeRefused('its history was dropped meanwhile');
    const { audit, ...changed } = await change(tx, schedule, locked);
    return { ...changed, audit: { ...audit, detail: { run: encodeRunId(run), ...audit.detail } } };
  });
}

const includes = (statuses: readonly RunStatus[], status: RunStatus) => statuses.includes(status);

const cancelOne = statement<Values>(
  'cancel-run',
  `update carillon.runs r set ${cancel({ at: instant(':now'), reasonCode: `'cancelled'`, reason: ':reason' })}
   where ${IS_RUN}`,
);

/** Cancels one run. A worker that is delivering the run stops the delivery, and its late result is refused. */
export function cancelRun(db: Database, request: RunChangeRequest): Promise<ChangeResult<void>> {
  return changeRun(db, request, async (tx, schedule, { status }) => {
    if (!includes(RUN_TRANSITIONS.cancel.from, status))
      throw new ChangeRefused(`the run is ${status} already`);
    const { nowAt } = schedule;
    await cancelOne(tx, { ...identityOf(request.run), now: nowAt, reason: `cancelled by ${request.actor}` });
    const mayPromote = schedule.isCounted && schedule.status !== 'paused';
    const promoted = mayPromote ? await promoteLocked(tx, [schedule]) : 0;
    return { value: undefined, dueAts: promoted > 0 ? [nowAt] : [], audit: { action: 'run.cancelled' } };
  });
}

const replayOne = statement<Values>(
  'replay-run',
  `update carillon.runs r
   set ${replay({
     at: instant(':now'),
     status: ':status::carillon.run_status',
     startsAt: `coalesce(${instant(':startsAt')}, 'infinity')`,
     reason: ':reason',
   })}
   where ${IS_RUN}`,
);

/**
 * Replays a run that has ended. If the policies of its schedule limit the number of open runs and leave no room for
 * another, the replay is queued until its turn comes.
 */
export function replayRun(db: Database, request: RunChangeRequest): Promise<ChangeResult<void>> {
  return changeRun(db, request, async (tx, schedule, { status, replays }) => {
    if (!includes(RUN_TRANSITIONS.replay.from, status))
      throw new ChangeRefused(`the run is ${status}; only one that has ended can be replayed`);
    if (schedule.status === 'cancelled') throw new ChangeRefused('its schedule is cancelled');
    if (replays >= MAX_REPLAYS) throw new ChangeRefused(`the run was replayed ${MAX_REPLAYS} times already`);
    const { id, nowAt, plan } = schedule;
    const started = (await countOpenRuns(tx, [id])).get(id)?.started ?? 0;
    const hasRoom = started < concurrentRuns(plan);
    const startsAt = hasRoom && schedule.status !== 'paused' ? nowAt : null;
    await replayOne(tx, {
      ...identityOf(request.run),
      now: nowAt,
      status: hasRoom ? 'retrying' : 'queued',
      startsAt,
      reason: `replayed by ${request.actor}`,
    });
    return {
      value: undefined,
      dueAts: startsAt === null ? [] : [startsAt],
      audit: { action: 'run.replayed' },
    };
  });
}
