import type { RUN_STATUSES, RunIdentity } from '@carillon/shared';
import { asMilliseconds, instant, milliseconds } from '../instants.js';
import { batch, type Values } from '../statement.js';

/**
 * Defines all transitions between the states of a run. Every statement that changes the state of an existing run takes
 * its `set` list from this file. The statements that insert runs are `start` in engine/start-runs.ts, and `enqueue` and
 * `skip` in insert-unstarted.ts. docs/state-machine.md shows the same table, and a test compares the two.
 */

export type RunStatus = (typeof RUN_STATUSES)[number];

export interface Transition {
  from: readonly RunStatus[] | 'new';
  to: readonly RunStatus[];
  /** The component that makes the transition, for the documentation. */
  by: string;
}

const WAITING = ['queued', 'retrying'] as const;
const ENDED = ['succeeded', 'failed', 'cancelled'] as const;

export const RUN_TRANSITIONS = {
  start: { from: 'new', to: ['running'], by: 'the claim of a due occurrence' },
  enqueue: {
    from: 'new',
    to: ['queued'],
    by: 'a trigger, a backfill, an edit, or the claim of an occurrence that must wait for earlier runs',
  },
  skip: {
    from: 'new',
    to: ['skipped'],
    by: 'the misfire, overlap or dependency policy, a pause, or a person who skips the occurrence',
  },
  reopen: { from: WAITING, to: ['running'], by: 'the claim of a waiting run' },
  succeed: { from: ['running'], to: ['succeeded'], by: 'the worker, when the delivery succeeded' },
  fail: {
    from: ['running'],
    to: ['failed'],
    by: 'the worker, when the attempt failed and another one is not allowed or would not help',
  },
  retry: {
    from: ['running'],
    to: ['retrying'],
    by: 'the worker, when the attempt failed and another one is allowed',
  },
  defer: {
    from: ['running'],
    to: ['retrying'],
    by: 'the worker, when the run may not be sent yet, for example because a circuit breaker is open; the attempt does not count',
  },
  rescue: { from: ['running'], to: ['retrying', 'failed'], by: 'the sweep, when the lease has expired' },
  handBack: {
    from: ['retrying', 'failed'],
    to: ['retrying', 'queued'],
    by: 'a worker that was frozen or cut off until its lease expired, if it had not begun the attempt; the attempt does not count',
  },
  hold: { from: WAITING, to: WAITING, by: 'a pause, or a cancel by SQL until a worker carries it out' },
  release: {
    from: WAITING,
    to: WAITING,
    by: 'a resume, the end of an earlier run for which this run waited, or the ping that a heartbeat waits for',
  },
  cancel: {
    from: [...WAITING, 'running'],
    to: ['cancelled'],
    by: 'a person, or the overlap policy `cancel`',
  },
  report: {
    from: ['retrying', 'running', 'succeeded', 'failed'],
    to: ['succeeded', 'failed'],
    by: 'the job that runs elsewhere, by a ping for its run',
  },
  replay: { from: ENDED, to: WAITING, by: 'a person' },
  setAside: {
    from: WAITING,
    to: ['failed'],
    by: 'the claim, when the run cannot be read or Postgres refuses to start it',
  },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof RUN_TRANSITIONS;

/** SQL: true if a run may take this transition. */
export const mayTake = (name: Exclude<TransitionName, 'start' | 'enqueue' | 'skip'>, run = 'r') =>
  `${run}.status in (${RUN_TRANSITIONS[name].from.map((status) => `'${status}'`).join(', ')})`;

/**
 * Groups the closings that one statement can carry out: those with the same status, outcome, partition and origin.
 * Nearly always the whole batch is one group.
 */
export function groupClosings<Run extends Closing>(runs: readonly Run[]): Run[][] {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const name = `${run.month} ${run.origin} ${run.status} ${run.outcome}`;
    const group = groups.get(name);
    if (group) group.push(run);
    else groups.set(name, [run]);
  }
  return [...groups.values()];
}

/** The identity of a run and the partition that holds it. */
export interface RunKey extends RunIdentity {
  month: string;
}

export const RUN_KEY_COLUMNS = {
  scheduleId: 'bigint',
  occurrenceAt: 'instant',
  origin: 'carillon.run_origin',
  month: 'date',
} as const;

/**
 * SQL that joins a run to a row of a batch by plain equality on the whole primary key, so that Postgres needs one index
 * lookup.
 */
export const isSameRun = (run: string, row: string) =>
  `${run}.schedule_id = ${row}.schedule_id and ${run}.occurrence_at = ${row}.occurrence_at
   and ${run}.origin = ${row}.origin and ${run}.month = ${row}.month`;

/** SQL that finds one run by its identity, in whichever partition it is. */
export const IS_RUN = `r.schedule_id = :scheduleId and r.occurrence_at = ${instant(':occurrenceAt')} and r.origin = :origin`;

export const identityOf = ({ scheduleId, occurrenceAt, origin }: RunIdentity): Values => ({
  scheduleId,
  occurrenceAt,
  origin,
});

/** The transition `hold`: the waiting run does not start before the transition `release`. */
export const HOLD = `next_attempt_at = 'infinity'`;

/** The transition `release`: the run may start at this instant. */
export const release = (at: string) => `next_attempt_at = ${at}`;

/**
 * SQL: the lateness of a run that is ended while its attempt is in flight. If that is the first attempt, the time of
 * the claim is the best estimate of when its first byte was sent.
 */
const LATENESS_IN_FLIGHT = `coalesce(r.lateness_ms, greatest(0, ${asMilliseconds('r.claimed_at')} - ${asMilliseconds('r.due_at')}))`;

/**
 * The transition `cancel`: an attempt that is in flight ends as cancelled, and the late result of its worker is
 * refused.
 */
export const cancel = ({ at, reasonCode, reason }: { at: string; reasonCode: string; reason: string }) => `
  status = 'cancelled', next_attempt_at = null, finished_at = ${at}, happened_at = ${at},
  outcome = case when r.status = 'running' then 'cancelled'::carillon.attempt_outcome else r.outcome end,
  lateness_ms = case when r.status = 'running' then ${LATENESS_IN_FLIGHT} else r.lateness_ms end,
  reason_code = ${reasonCode}, reason = ${reason}`;

/** The transition `setAside`: a run that makes each claim fail ends as failed, so that other runs can be claimed. */
export const setAside = ({ at, reasonCode, reason }: { at: string; reasonCode: string; reason: string }) => `
  status = 'failed', next_attempt_at = null, failed_at = ${at}, finished_at = ${at}, happened_at = ${at},
  reason_code = ${reasonCode}, reason = ${reason}`;

/**
 * The transition `report`: a job that runs elsewhere says how its run ended. An attempt in flight ends the same way,
 * and the late result of its worker is refused.
 */
export const report = ({ at, status, reason }: Record<'at' | 'status' | 'reason', string>) => `
  status = ${status}, next_attempt_at = null, finished_at = ${at}, happened_at = ${at},
  failed_at = case when ${status} = 'failed' then ${at} end,
  outcome = case when r.status = 'running' then ${status}::text::carillon.attempt_outcome else r.outcome end,
  error_code = case when r.status = 'running' and ${status} = 'failed' then 'reported_failure' else r.error_code end,
  error = case when r.status = 'running' then ${reason} else r.error end,
  lateness_ms = ${LATENESS_IN_FLIGHT},
  reason_code = case when ${status} = 'failed' then 'reported_failure' end, reason = ${reason}`;

/** Maximum number of replays of one run. */
export const MAX_REPLAYS = 100;

/**
 * The transition `replay`: a run that has ended is tried again with a full set of attempts, because the attempts made
 * so far no longer count.
 */
export const replay = ({
  at,
  status,
  startsAt,
  reason,
}: Record<'at' | 'status' | 'startsAt' | 'reason', string>) => `
  status = ${status}, next_attempt_at = ${startsAt}, failed_at = null, happened_at = ${at},
  replays = r.replays + 1, free_attempts = r.attempt, reason_code = 'replayed', reason = ${reason}`;

/**
 * The transition `handBack`: an attempt was recorded as `unknown` but had not begun, so it does not count. If the run
 * has failed because of this attempt, it waits again: as `queued` if the open runs of its schedule are counted,
 * otherwise as `retrying`.
 */
export const handBack = ({ at, hasBegun, isCounted }: Record<'at' | 'hasBegun' | 'isCounted', string>) => `
  status = case when r.status = 'failed' and ${isCounted} then 'queued' else 'retrying' end::carillon.run_status,
  next_attempt_at = case when r.status = 'retrying' then r.next_attempt_at when ${isCounted} then 'infinity' else ${at} end,
  failed_at = null, happened_at = ${at}, outcome = 'handed_back', error_code = null, error = null,
  free_attempts = r.free_attempts + 1, lateness_ms = case when ${hasBegun} then r.lateness_ms end`;

/**
 * The transition `reopen`: the next attempt begins under a new lease. The caller has copied the previous attempt to
 * `attempts`.
 */
export const reopen = ({ at, epoch, workerId }: { at: string; epoch: string; workerId: string }) => `
  status = 'running', attempt = r.attempt + 1, next_attempt_at = null, happened_at = ${at},
  epoch = ${epoch}, worker_id = ${workerId}, claimed_at = ${at}, reason_code = null, reason = null, progress = null,
  finished_at = null, outcome = null, http_status = null, duration_ms = null, error_code = null, error = null,
  response = null, external_id = null`;

/**
 * The end of one attempt, and with it the new status of its run (the transitions `succeed`, `fail`, `retry`, `defer`
 * and `rescue`).
 */
export interface Closing extends RunKey {
  epoch: number;
  status: 'succeeded' | 'failed' | 'retrying';
  /** Null for `defer`: the attempt could not begin and is not counted, and `error` says why the run waits. */
  outcome: 'succeeded' | 'failed' | 'handed_back' | 'unknown' | null;
  durationMs: number | null;
  httpStatus: number | null;
  errorCode: string | null;
  error: string | null;
  response: string | null;
  externalId: string | null;
  latenessMs: number | null;
  /** Delay until the next attempt; null if there is none. */
  retryInMs: number | null;
}

/**
 * Returns the fields that all closings of a group share. They are plain parameters of the statement, not columns of its
 * batch.
 */
export const sharedBy = ([first]: readonly Closing[]): Values => {
  const { month, origin, status, outcome } = first as Closing;
  return { month, origin, status, outcome };
};

export const closings = batch<Omit<Closing, 'month' | 'origin' | 'status' | 'outcome'>>('closing', {
  scheduleId: 'bigint',
  occurrenceAt: 'instant',
  epoch: 'bigint',
  durationMs: 'int',
  httpStatus: 'int',
  errorCode: 'text',
  error: 'text',
  response: 'text',
  externalId: 'text',
  latenessMs: 'bigint',
  retryInMs: 'bigint',
});

const STATUS = ':status::carillon.run_status';
const OUTCOME = ':outcome::carillon.attempt_outcome';

/**
 * Runs are listed by the time of their last change (`happened_at`). If a successful attempt took less than `QUICK_ATTEMPT_MS`,
 * the close does not change `happened_at`, which keeps the time of the claim. So no indexed column changes.
 */
const QUICK_ATTEMPT_MS = 2_000;

/**
 * SQL that closes attempts with the values of the batch `closing`. A quick success changes no indexed column, so that
 * the update stays a HOT update, which rewrites no index entry. A run is not closed if meanwhile it was cancelled, or a
 * sweep has rescued it (taken it back because its lease had expired): its status or its epoch no longer matches.
 */
export const close = (at: string) => `
  update carillon.runs r
  set status = ${STATUS}, outcome = ${OUTCOME}, finished_at = ${at}, duration_ms = closing.duration_ms,
      http_status = closing.http_status, response = closing.response, external_id = closing.external_id,
      error_code = case when ${OUTCOME} is not null then closing.error_code end,
      error = case when ${OUTCOME} is not null then closing.error end,
      reason_code = case when ${OUTCOME} is null then closing.error_code end,
      reason = case when ${OUTCOME} is null then closing.error end,
      attempt = r.attempt - (${OUTCOME} is null)::int,
      free_attempts = r.free_attempts + (${OUTCOME} is not distinct from 'handed_back')::int,
      lateness_ms = coalesce(r.lateness_ms, closing.lateness_ms),
      next_attempt_at = ${at} + ${milliseconds('closing.retry_in_ms')},
      failed_at = case when ${STATUS} = 'failed' then ${at} end,
      happened_at = case when ${STATUS} = 'succeeded' and closing.duration_ms < ${QUICK_ATTEMPT_MS} then r.happened_at else ${at} end
  from ${closings.source}
  where r.schedule_id = closing.schedule_id and r.occurrence_at = closing.occurrence_at and r.origin = :origin
    and r.month = :month and r.epoch = closing.epoch and r.status = 'running'`;

/** SQL: the runs that workers have claimed and not yet closed, with the aliases `l` (leases) and `r` (runs). */
export const IN_FLIGHT = `carillon.leases l join carillon.runs r on r.epoch = l.epoch and r.status = 'running'`;
