import { type Admission, handlerOf, type RunIdentity, readPlan, readTiming } from '@carillon/shared';
import type { Pool } from 'pg';
import { inFireTransaction, type Transaction } from '../database.js';
import { isDuplicate } from '../errors.js';
import { asMilliseconds, NOW } from '../instants.js';
import { accountFor, type PassedOccurrences } from '../runs/account-for.js';
import { insertUnstartedRuns, type UnstartedRun } from '../runs/insert-unstarted.js';
import { cancelOpenRuns } from '../runs/stop-runs.js';
import { type AgendaMove, moveAgenda } from '../schedules/agenda.js';
import { pauseBroken } from '../schedules/pause-broken.js';
import { arrayOf, statement } from '../statement.js';
import { admitRuns } from './admit-runs.js';
import {
  type Claim,
  type ClaimedRun,
  type ClaimOptions,
  type DueRow,
  isDeliverable,
  type LockDueOptions,
  type MissedOccurrences,
  NOTHING_CLAIMED,
} from './claim.js';
import { claimApart } from './claim-apart.js';
import { type Decided, decideBatch, type UnreadableRow } from './decide-batch.js';
import { INSTALLATION_IS_RELEASED } from './fencing.js';
import { divideBatch, SHARES, type ShareParameters } from './project-shares.js';
import { type RunStart, type StartedRuns, startRuns } from './start-runs.js';

/**
 * Claims due schedules in one transaction: locks them, decides about their due occurrences, records the occurrences
 * that will not run, and starts runs for the others.
 *
 * A due occurrence should not have a run yet, because the transaction that inserts a run also changes the agenda row to
 * the next occurrence. If it has a run nevertheless, the insert fails, and the claim is repeated in a form that leaves
 * existing runs unchanged. A schedule that can't be claimed for any other reason is paused with that reason, and the
 * other schedules are claimed.
 */
export async function claimDue(pool: Pool, options: ClaimOptions): Promise<Claim> {
  // The schedules that the latest try locked. `claimApart` calls `setAside` only after a try with one schedule has
  // failed.
  let tried: readonly { id: number }[] = [];
  const onLocked = (rows: typeof tried) => {
    tried = rows;
  };
  return claimApart({
    limit: options.limit,
    claim: async (limit) => {
      const attempt = { ...options, limit, onLocked };
      return claim(pool, attempt, { mayExist: false }).catch((error) => {
        if (!isDuplicate(error)) throw error;
        return claim(pool, attempt, { mayExist: true });
      });
    },
    setAside: async (error) => {
      const [bad] = tried;
      const note = `it could not be claimed: ${error.message}`;
      const paused = bad ? await pauseBroken(pool, { id: bad.id, note, now: options.now }) : [];
      return { ...NOTHING_CLAIMED, isFull: paused.length > 0, isBlocked: paused.length === 0 };
    },
  });
}

interface Attempt extends ClaimOptions {
  onLocked: (rows: readonly { id: number }[]) => void;
}

function claim(pool: Pool, options: Attempt, { mayExist }: { mayExist: boolean }): Promise<Claim> {
  return inFireTransaction(pool, async (tx) => {
    const { rows, locked, nowAt } = await lockDue(tx, options);
    options.onLocked(rows);
    if (locked === 0) return NOTHING_CLAIMED;
    const decisions = await decideBatch(rows, nowAt);
    const undecided = rows.length - decisions.length;
    const decided = await withoutBlocked(tx, decisions);
    const { starts: work, missed } = await carryOut(tx, decided, nowAt);
    const withoutRuns = {
      ...NOTHING_CLAIMED,
      nowAt,
      missed,
      nextDueAts: decided.flatMap((each) =>
        each.kind === 'move' && each.decision.next ? [each.decision.next.dueAt] : [],
      ),
      // If every row of the batch was left out (for example because other transactions have locked their schedules),
      // the claim must not be repeated at once. Otherwise the worker would lock the same rows in an endless loop.
      isFull: (locked >= options.limit || undecided > 0) && decided.length > 0,
      isBlocked: decided.length < locked - undecided,
    };
    if (work.length === 0) return withoutRuns;
    // Every batch locks in the order of ids, so two batches can't deadlock.
    work.sort((a, b) => a.row.id - b.row.id);
    const started = await startRuns(tx, work, { ...options, mayExist, nowAt });
    const month = monthAt(nowAt);
    const runs = started.flatMap(({ epoch, starts }) =>
      starts.map((start) => toClaimedRun(start, { epoch, month, nowAt })),
    );
    return { ...withoutRuns, runs, lostKeys: lostKeys(work, started) };
  });
}

/**
 * Leaves out schedules whose row in `schedules` must be changed but is locked by another transaction. The claim changes
 * that row to pause a broken schedule, or to store the totals of a schedule that has ended. The agenda rows of the
 * schedules that are left out stay as they are. The claim returns `isBlocked`, and the worker claims again after a
 * short delay.
 */
async function withoutBlocked(tx: Transaction, decided: readonly Decided[]): Promise<readonly Decided[]> {
  const changed = decided.filter(changesSchedule).map(({ row }) => row.id);
  if (changed.length === 0) return decided;
  const locked = await lockSchedulesOfClaim(tx, changed);
  return decided.filter((each) => !changesSchedule(each) || locked.has(each.row.id));
}

function changesSchedule(decided: Decided): boolean {
  if (decided.kind === 'broken') return true;
  const { row, decision } = decided;
  const isOnlyRun = decision.run !== null && row.runsTotal === 0 && !row.isCounted;
  return decision.next === null && !isOnlyRun;
}

/** Carries out the decisions, except for starting runs. Returns the runs to start and the missed occurrences. */
async function carryOut(
  tx: Transaction,
  decided: readonly Decided[],
  nowAt: number,
): Promise<{ starts: RunStart[]; missed: MissedOccurrences[] }> {
  const starts: RunStart[] = [];
  const moves: AgendaMove[] = [];
  const passed: PassedOccurrences[] = [];
  const unstarted: UnstartedRun[] = [];
  const replaced: number[] = [];
  const counted = decided.flatMap((each) =>
    each.kind === 'move' && each.decision.run && each.row.isCounted ? [each.row] : [],
  );
  const admissions = await admitRuns(tx, counted, nowAt);
  for (const each of decided) {
    if (each.kind === 'broken') {
      await pauseBroken(tx, { id: each.row.id, note: each.reason, now: nowAt });
      continue;
    }
    const { row, decision } = each;
    const { run, next } = decision;
    if (decision.passed) passed.push({ schedule: row, stretch: decision.passed });
    const admission: Admission = admissions.get(row.id) ?? { kind: 'start' };
    if (!run) moves.push({ scheduleId: row.id, next, runsAdded: 0 });
    else if (admission.kind === 'start' || admission.kind === 'replace') {
      if (admission.kind === 'replace') replaced.push(row.id);
      starts.push({ row, run, next });
    } else {
      unstarted.push({ ...unstartedRun(row, admission), ...run, origin: 'rule', scheduleId: row.id });
      moves.push({ scheduleId: row.id, next, runsAdded: admission.kind === 'queue' ? 1 : 0 });
    }
  }
  await accountFor(tx, passed, nowAt);
  await insertUnstartedRuns(tx, unstarted, nowAt);
  if (replaced.length > 0)
    await cancelOpenRuns(tx, { scheduleIds: replaced, now: nowAt, ...REPLACED_BY_NEXT_RUN });
  await moveAgenda(tx, moves);
  return { starts, missed: missedOf(passed, unstarted) };
}

function missedOf(
  passed: readonly PassedOccurrences[],
  unstarted: readonly UnstartedRun[],
): MissedOccurrences[] {
  return [
    ...passed.map(({ stretch: { reasonCode, count } }) => ({ reasonCode, count })),
    ...unstarted.flatMap(({ reasonCode }) => (reasonCode === null ? [] : [{ reasonCode, count: 1 }])),
  ];
}

export const REPLACED_BY_NEXT_RUN = {
  reasonCode: 'overlap',
  reason: 'the next run replaced it, by the overlap policy `cancel`',
};

/** The queued or skipped run of an occurrence that may not start now because of its schedule's policies. */
export function unstartedRun(
  { projectId, definitionVersion, plan }: Pick<DueRow, 'projectId' | 'definitionVersion' | 'plan'>,
  admission: Extract<Admission, { kind: 'queue' | 'skip' }>,
): Omit<UnstartedRun, keyof RunIdentity | 'dueAt'> {
  const run = { projectId, version: definitionVersion, handler: handlerOf(plan) };
  return admission.kind === 'queue'
    ? { ...run, status: 'queued', startsAt: Number.POSITIVE_INFINITY, reasonCode: null, reason: null }
    : {
        ...run,
        status: 'skipped',
        startsAt: null,
        reasonCode: admission.reasonCode,
        reason: admission.reason,
      };
}

function toClaimedRun(
  { row, run }: RunStart,
  { epoch, month, nowAt }: { epoch: number; month: string; nowAt: number },
): ClaimedRun {
  return {
    scheduleId: row.id,
    occurrenceAt: run.occurrenceAt,
    origin: 'rule',
    month,
    projectId: row.projectId,
    scheduleKey: row.key,
    dueAt: run.dueAt,
    attempt: 1,
    freeAttempts: 0,
    replays: 0,
    hasBegun: false,
    recordedAt: nowAt,
    claimedAt: nowAt,
    deferredFromAt: null,
    epoch,
    isCounted: row.isCounted,
    plan: row.plan,
    payload: row.payload,
  };
}

/**
 * The month that selects the partition of a row written at this instant. The SQL statement that inserts the run
 * computes the same value.
 */
const monthAt = (at: number) => `${new Date(at).toISOString().slice(0, 7)}-01`;

function lostKeys(wanted: readonly RunStart[], started: readonly StartedRuns[]): string[] {
  const ours = new Set(started.flatMap(({ starts }) => starts));
  return ours.size === wanted.length
    ? []
    : wanted.filter((start) => !ours.has(start)).map(({ row }) => row.key);
}

/**
 * Locks due agenda rows that no other claim has locked, and reads their definitions. `rows` leaves out rows whose
 * definition was not found or does not fit into `maxBytes`. `locked` counts these rows as well.
 */
export async function lockDue(
  tx: Transaction,
  { limit, fairTo, handlers, maxBytes, now }: LockDueOptions,
): Promise<{ rows: (DueRow | UnreadableRow)[]; locked: number; nowAt: number }> {
  const options = { limit, now, maxBytes: maxBytes ?? null, handlers: arrayOf(handlers) };
  const rows =
    fairTo.length > 0
      ? await lockShares(tx, { ...options, ...divideBatch(limit, fairTo) })
      : await lockEarliest(tx, options);
  const isDefined = ({ key }: { key: string | null }) => key !== null;
  return { rows: rows.filter(isDefined).map(toDueRow), locked: rows.length, nowAt: rows[0]?.nowAt ?? 0 };
}

function toDueRow(row: Row): DueRow | UnreadableRow {
  try {
    return Object.assign(row, { timing: readTiming(row.timing), plan: readPlan(row.plan) });
  } catch (error) {
    // One unreadable definition must not fail the batch.
    return { id: row.id, unreadable: (error as Error).message };
  }
}

/**
 * SQL: true if the payloads of the rows before this one have a total of at most `maxBytes`. So the first row always
 * fits.
 */
const FITS = `coalesce(sum(octet_length(s.payload)) over (rows between unbounded preceding and 1 preceding), 0)
    <= coalesce(:maxBytes::bigint, 9223372036854775807)`;

/**
 * `for update` returns the newest version of an agenda row, but the definition is read from the statement's snapshot.
 * If an edit has committed after the snapshot and before the lock, the two version numbers differ, no definition is
 * found, and `key` is null. `key` is null too if the payloads of the rows before this one exceed `maxBytes`.
 *
 * The lookup of the definition compares the project too, although the id of the schedule would be enough. Otherwise
 * Postgres 18 may choose the index that begins with the project, and search it once for each project (skip scan).
 */
const COLUMNS = `
  due.schedule_id as id, due.project_id as "projectId", due.version,
  ${asMilliseconds('due.occurrence_at')} as "occurrenceAt", ${asMilliseconds('due.due_at')} as "dueAt",
  due.runs_total as "runsTotal", due.handler, case when ${FITS} then s.key end as key, s.definition_version as "definitionVersion",
  s.is_counted as "isCounted", s.timing, s.plan, case when ${FITS} then s.payload end as payload, ${asMilliseconds(NOW)} as "nowAt",
  (select lost_time from carillon.installation) as "lostTime"`;
const DEFINITION = `left join lateral (
    select key, definition_version, is_counted, timing, plan, payload::text from carillon.schedules
    where id = due.schedule_id and project_id = due.project_id and version = due.version
  ) as s on true`;

interface Row extends Omit<DueRow, 'timing' | 'plan'> {
  timing: string;
  plan: string;
  nowAt: number;
}

interface LockParameters {
  limit: number;
  handlers: string;
  maxBytes: number | null;
  now: number | null;
}

const lockEarliest = statement<LockParameters, Row>(
  'lock-due',
  `select ${COLUMNS}
   from (
     select a.* from carillon.agenda a
     where not a.is_held and a.due_at <= ${NOW} and ${isDeliverable('a')} and ${INSTALLATION_IS_RELEASED}
     order by a.due_at, a.schedule_id
     limit :limit
     for update skip locked
   ) as due
   ${DEFINITION}`,
);

/**
 * Locks a share of the batch for each project that has something due, so that a million rows of one project do not
 * delay the others.
 */
const lockShares = statement<LockParameters & ShareParameters, Row>(
  'lock-due-by-shares',
  `select ${COLUMNS}
   from ${SHARES}, lateral (
     select a.* from carillon.agenda a
     where not a.is_held and a.project_id = share.project_id and a.due_at <= ${NOW}
       and ${isDeliverable('a')} and ${INSTALLATION_IS_RELEASED}
     order by a.due_at, a.schedule_id
     limit share.most
     for update skip locked
   ) as due
   ${DEFINITION}
   limit :limit`,
);

const lockSchedules = statement<{ ids: string }, { id: number }>(
  'lock-schedules-of-claim',
  `select id from carillon.schedules where id = any(:ids::bigint[]) order by id for no key update skip locked`,
);

/**
 * Locks the rows in `schedules` whose agenda rows this claim has locked. Skips schedules that another transaction has
 * locked: an edit or a pause locks the schedule first and its agenda row second, so a claim that waited here could
 * deadlock with it.
 */
async function lockSchedulesOfClaim(tx: Transaction, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  return new Set((await lockSchedules(tx, { ids: arrayOf(ids) })).map(({ id }) => id));
}
