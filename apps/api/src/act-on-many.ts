import {
  backfillSchedule,
  type ChangeRequest,
  type ChangeResult,
  cancelMany,
  cancelSchedule,
  findScheduleKeys,
  type KeyOwner,
  pauseMany,
  pauseSchedule,
  rescheduleNext,
  resumeSchedule,
  type ScheduleFilter,
  type Stopped,
  skipNext,
  triggerSchedule,
} from '@carillon/db';
import type { ActionInput } from '@carillon/shared';
import type { Pool } from 'pg';
import type { z } from 'zod';
import type { ApiContext } from './context.js';
import { invalid } from './problem.js';

type Action = z.infer<typeof ActionInput>;
type Change = (request: ChangeRequest) => Promise<ChangeResult<unknown>>;

/** What one call changes at most; what is left is for the next, which goes on from its cursor. */
const MOST_IN_A_CALL = 10_000;
/** Changes at a time: each is a transaction of its own, and the pool is for others as well. */
const AT_A_TIME = 4;
/** Rows locked by one statement. */
const BATCH = 500;
const REFUSALS_SHOWN = 100;

export interface ActedOnMany {
  matched: number;
  changed: number;
  refused: number;
  refusals: { id: string; reason: string }[];
  dueAts: number[];
  /** The last one that was looked at, where there are more. */
  lastId: number | null;
}

/** Does to every schedule that matches what would be done to one. */
export async function actOnMany(
  { pool }: ApiContext,
  { caller, action, beforeId }: { caller: KeyOwner; action: Action; beforeId: number | null },
): Promise<ActedOnMany> {
  const change = changeOf(pool, action);
  const filter: ScheduleFilter = action.filter;
  const { projectId, keyName: actor } = caller;
  const found = await findScheduleKeys(pool, { projectId, filter, limit: MOST_IN_A_CALL + 1, beforeId });
  const picked = found.slice(0, MOST_IN_A_CALL);
  const done: ActedOnMany = {
    matched: picked.length,
    changed: 0,
    refused: 0,
    refusals: [],
    dueAts: [],
    lastId: found.length > MOST_IN_A_CALL ? (picked.at(-1)?.id ?? null) : null,
  };
  const together = await stopTogether(pool, action, { caller, picked });
  done.changed = together.changed;
  if (together.changed > 0 && action.until) done.dueAts.push(action.until);
  const rest = together.others.values();
  const workThrough = async () => {
    for (const key of rest) {
      const result = await change({ ref: { projectId, key }, actor });
      if (result.kind === 'changed') {
        done.changed++;
        done.dueAts.push(...result.dueAts);
      } else if (result.kind === 'refused') {
        done.refused++;
        if (done.refusals.length < REFUSALS_SHOWN) done.refusals.push({ id: key, reason: result.reason });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, workThrough));
  return done;
}

/** What stops schedules is done in batches; the answer names those that are left to be done one by one. */
async function stopTogether(
  pool: Pool,
  action: Action,
  { caller, picked }: { caller: KeyOwner; picked: readonly { id: number; key: string }[] },
): Promise<Stopped> {
  if (action.action !== 'pause' && action.action !== 'cancel') {
    return { changed: 0, others: picked.map(({ key }) => key) };
  }
  const stopped: Stopped = { changed: 0, others: [] };
  for (let from = 0; from < picked.length; from += BATCH) {
    const ids = picked.slice(from, from + BATCH).map(({ id }) => id);
    const request = { projectId: caller.projectId, ids, actor: caller.keyName };
    const { changed, others } =
      action.action === 'pause'
        ? await pauseMany(pool, request, pauseOf(action))
        : await cancelMany(pool, request);
    stopped.changed += changed;
    stopped.others.push(...others);
  }
  return stopped;
}

const pauseOf = ({ note, until }: Action) => ({ note: note ?? null, untilAt: until ?? null });

function changeOf(pool: Pool, action: Action): Change {
  switch (action.action) {
    case 'pause':
      return (request) => pauseSchedule(pool, request, pauseOf(action));
    case 'resume':
      return (request) => resumeSchedule(pool, request);
    case 'cancel':
      return async (request) => {
        const result = await cancelSchedule(pool, request);
        const isOld = result.kind === 'changed' && !result.value.isNew;
        return isOld ? { kind: 'refused', reason: 'it is cancelled already' } : result;
      };
    case 'trigger':
      return (request) => triggerSchedule(pool, request);
    case 'skip-next':
      return (request) => skipNext(pool, request);
    case 'reschedule': {
      const at = given(action, 'at');
      return (request) => rescheduleNext(pool, request, at);
    }
    case 'backfill': {
      const range = { fromAt: given(action, 'from'), toAt: given(action, 'to') };
      return (request) => backfillSchedule(pool, request, range);
    }
  }
}

function given(action: Action, field: 'at' | 'from' | 'to'): number {
  const at = action[field];
  if (at === undefined) throw invalid([{ field, message: `is missing; ${action.action} needs it` }]);
  return at;
}

/** Refuses fields that the action would not look at: whoever sent them expects something of them. */
export function requireFittingFields(action: Action): void {
  const taken: Partial<Record<Action['action'], (keyof Action)[]>> = {
    pause: ['note', 'until'],
    reschedule: ['at'],
    backfill: ['from', 'to'],
  };
  const problems = (['note', 'until', 'at', 'from', 'to'] as const)
    .filter((field) => action[field] !== undefined && !taken[action.action]?.includes(field))
    .map((field) => ({ field, message: `${action.action} does not take it` }));
  if (problems.length > 0) throw invalid(problems);
  for (const field of taken[action.action] ?? [])
    if (field === 'at' || field === 'from' || field === 'to') given(action, field);
}
