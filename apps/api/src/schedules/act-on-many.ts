import {
  backfillSchedule,
  type ChangeManyResult,
  type ChangeRequest,
  type ChangeResult,
  cancelMany,
  cancelSchedule,
  findScheduleKeys,
  type KeyOwner,
  pauseMany,
  pauseSchedule,
  rescheduleNext,
  rescheduleNextOfMany,
  resumeMany,
  resumeSchedule,
  type ScheduleFilter,
  type StopManyResult,
  type StopRequest,
  skipNext,
  skipNextOfMany,
  triggerMany,
  triggerSchedule,
} from '@carillon/db';
import type { ActionInput } from '@carillon/shared';
import type { Pool } from 'pg';
import type { z } from 'zod';
import type { ApiContext } from '../context.js';
import { invalid } from '../http/problem.js';

type Action = z.infer<typeof ActionInput>;
type Change = (request: ChangeRequest) => Promise<ChangeResult<unknown>>;

/**
 * Maximum number of concurrent changes. Each uses a connection to Postgres, and other requests need connections too.
 */
const CONCURRENT_CHANGES = 2;
/** Maximum number of rows that one transaction locks. */
const SCHEDULES_PER_TRANSACTION = 1_000;
const REFUSALS_SHOWN = 100;

export interface BulkActionResult {
  matched: number;
  changed: number;
  refused: number;
  refusals: { id: string; reason: string }[];
  dueAts: number[];
  /** The internal id of the last schedule that this call handled; null if no further schedules match. */
  lastId: number | null;
}

/** A schedule that an action changes. */
export interface PickedSchedule {
  id: number;
  key: string;
}

/**
 * Maximum number of schedules that one query finds. It is large, because each query evaluates the whole filter again.
 */
const KEYS_PER_QUERY = 50_000;

/** Yields the schedules that match a filter, newest first, in pages. Each page says whether it is the last one. */
export async function* pagesOfMatching(
  pool: Pool,
  { caller, action, beforeId }: { caller: KeyOwner; action: Action; beforeId: number | null },
  size: number,
): AsyncGenerator<{ picked: PickedSchedule[]; isLast: boolean }> {
  const { projectId } = caller;
  const filter: ScheduleFilter = action.filter;
  for (let before = beforeId; ; ) {
    const page = { projectId, filter, limit: KEYS_PER_QUERY + 1, beforeId: before };
    const keys = await findScheduleKeys(pool, page);
    const hasMore = keys.length > KEYS_PER_QUERY;
    const all = keys.slice(0, KEYS_PER_QUERY);
    for (let from = 0; from === 0 || from < all.length; from += size)
      yield { picked: all.slice(from, from + size), isLast: !hasMore && from + size >= all.length };
    if (!hasMore) return;
    before = all.at(-1)?.id ?? null;
  }
}

/** Applies one action to the picked schedules. */
export async function actOnMany(
  { pool }: Pick<ApiContext, 'pool'>,
  {
    caller,
    action,
    picked,
    isLast,
  }: { caller: KeyOwner; action: Action; picked: PickedSchedule[]; isLast: boolean },
): Promise<BulkActionResult> {
  const change = changeOf(pool, action);
  const { projectId, keyName: actor } = caller;
  const done: BulkActionResult = {
    matched: picked.length,
    changed: 0,
    refused: 0,
    refusals: [],
    dueAts: [],
    lastId: isLast ? null : (picked.at(-1)?.id ?? null),
  };
  const inBatches = await changeInBatches(pool, action, { caller, picked });
  done.changed = inBatches.changed;
  done.dueAts.push(...inBatches.dueAts);
  done.refused = inBatches.refusals.length;
  done.refusals = inBatches.refusals.slice(0, REFUSALS_SHOWN);
  const rest = inBatches.others.values();
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
  await Promise.all(Array.from({ length: CONCURRENT_CHANGES }, workThrough));
  return done;
}

/** Changes the schedules in batches. Returns as `others` the schedules that must be changed one by one. */
async function changeInBatches(
  pool: Pool,
  action: Action,
  { caller, picked }: { caller: KeyOwner; picked: readonly PickedSchedule[] },
): Promise<ChangeManyResult> {
  const changeBatch = batchChangeOf(pool, action);
  if (!changeBatch) return { changed: 0, refusals: [], others: picked.map(({ key }) => key), dueAts: [] };
  const batches = Array.from({ length: Math.ceil(picked.length / SCHEDULES_PER_TRANSACTION) }, (_, i) =>
    picked.slice(i * SCHEDULES_PER_TRANSACTION, (i + 1) * SCHEDULES_PER_TRANSACTION),
  );
  // A page has at most two batches, which are changed at the same time. They have no schedule in common, so they can't
  // deadlock.
  const changes = await Promise.all(
    batches.map((batch) =>
      changeBatch({
        projectId: caller.projectId,
        ids: batch.map(({ id }) => id),
        actor: caller.keyName,
      }),
    ),
  );
  return {
    changed: changes.reduce((sum, { changed }) => sum + changed, 0),
    refusals: changes.flatMap(({ refusals }) => refusals),
    others: changes.flatMap(({ others }) => others),
    dueAts: [...new Set(changes.flatMap(({ dueAts }) => dueAts))],
  };
}

/** The function that changes many schedules at once. Null for a backfill, which changes schedules one by one. */
function batchChangeOf(
  pool: Pool,
  action: Action,
): ((request: StopRequest) => Promise<ChangeManyResult>) | null {
  const stopped = async (stopping: Promise<StopManyResult>, dueAts: number[] = []) => ({
    ...(await stopping),
    dueAts,
  });
  switch (action.action) {
    case 'pause':
      return (request) =>
        stopped(pauseMany(pool, request, pauseOf(action)), action.until ? [action.until] : []);
    case 'cancel':
      return (request) => stopped(cancelMany(pool, request));
    case 'resume':
      return (request) => resumeMany(pool, request);
    case 'trigger':
      return (request) => triggerMany(pool, request);
    case 'skip-next':
      return (request) => skipNextOfMany(pool, request);
    case 'reschedule': {
      const at = given(action, 'at');
      return (request) => rescheduleNextOfMany(pool, request, at);
    }
    case 'backfill':
      return null;
  }
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

/**
 * Refuses fields that the action would ignore, because the client expects them to have an effect. Also refuses an
 * action that lacks an instant that it needs.
 */
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
