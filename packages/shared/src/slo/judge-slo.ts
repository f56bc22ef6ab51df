import type { Slo } from './slo.js';

export const BREACH_KINDS = ['start', 'end', 'duration', 'success_rate'] as const;
export type BreachKind = (typeof BREACH_KINDS)[number];

/** An occurrence to be judged by the objectives: a run, or the next occurrence, which has no run yet. */
export interface WatchedRun {
  occurrenceAt: number;
  dueAt: number;
  /** `due` while the occurrence waits for its claim. */
  status: 'due' | 'queued' | 'running' | 'retrying' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';
  /** When its first attempt began, or was claimed if its start is not recorded yet; null before that. */
  startedAt: number | null;
  /**
   * True while the first attempt is in flight and was claimed so recently that the worker may still defer it. Then the
   * claim is not yet a start.
   */
  mayBeDeferred: boolean;
  /** When its latest attempt ended, or when it was skipped or cancelled. */
  finishedAt: number | null;
  attempt: number;
  reasonCode: string | null;
  reason: string | null;
  error: string | null;
}

/** The ended runs that a success rate counts. */
export interface RunCounts {
  succeeded: number;
  failed: number;
  /** The latest run that failed. */
  latestFailure: { occurrenceAt: number; error: string | null } | null;
}

export interface SloFacts {
  slo: Slo;
  nowAt: number;
  /**
   * True while the schedule is paused. Then an open run does not miss its deadlines, but runs that have ended are still
   * judged.
   */
  isPaused: boolean;
  judgedUntil: number;
  /** The runs of occurrences after `judgedUntil`, earliest first, and older runs whose alerts are still open. */
  runs: readonly WatchedRun[];
  /** Null if the schedule has no objective for its success rate. */
  counts: RunCounts | null;
}

/** Whether one occurrence meets one objective at an instant. */
export interface Verdict {
  kind: BreachKind;
  isBreached: boolean;
  at: number;
  occurrenceAt: number;
  /** Null for a success rate, which no single run decides. */
  run: WatchedRun | null;
}

export interface Judgement {
  /** In the order of time. */
  verdicts: Verdict[];
  judgedUntil: number;
  /** The earliest time at which another objective can be missed; null if there is none. */
  nextCheckAt: number | null;
}

/**
 * Judges a schedule by its objectives. An occurrence that has not started, or not ended, by its deadline misses the
 * objective at that moment, even while its run goes on.
 */
export function judgeSlo({ slo, nowAt, isPaused, judgedUntil, runs, counts }: SloFacts): Judgement {
  const judged: JudgedRun[] = [];
  let until = judgedUntil;
  let haveAllEnded = true;
  let nextCheckAt: number | null = null;
  for (const run of runs) {
    const results = judgeRun(run, slo, nowAt).filter(({ deadlineAt }) => deadlineAt === null || !isPaused);
    for (const result of results) {
      const { deadlineAt } = result;
      judged.push({ ...result, run });
      if (deadlineAt !== null && deadlineAt > nowAt)
        nextCheckAt = Math.min(nextCheckAt ?? Number.POSITIVE_INFINITY, deadlineAt);
    }
    haveAllEnded &&= hasEnded(run);
    if (haveAllEnded) until = Math.max(until, Math.min(run.occurrenceAt, nowAt));
  }
  const verdicts = judged.flatMap((each) => verdictsOf(each, judged));
  if (slo.successRate && counts) verdicts.push(...judgeRate(slo.successRate, counts, nowAt));
  verdicts.sort((a, b) => a.at - b.at);
  return { verdicts, judgedUntil: until, nextCheckAt };
}

interface JudgedRun extends Result {
  run: WatchedRun;
}

/**
 * The verdicts on one objective of one run. A run that meets the objective late ends the breach, unless another run is
 * late at that moment (see `isLateAt`). In that case the verdict is left out, so the breach goes on.
 */
function verdictsOf({ kind, events, run }: JudgedRun, judged: readonly JudgedRun[]): Verdict[] {
  const { occurrenceAt } = run;
  const isLate = events.some(({ isBreached }) => isBreached);
  return events
    .filter(
      ({ isBreached, at }) => isBreached || !isLate || !judged.some((other) => isLateAt(other, kind, at)),
    )
    .map(({ isBreached, at }) => ({ kind, isBreached, at, occurrenceAt, run }));
}

/**
 * True if the run had missed the deadline of this objective at this instant, and either met the objective afterwards or
 * may still meet it.
 */
function isLateAt({ kind, events, deadlineAt }: JudgedRun, of: BreachKind, at: number): boolean {
  const breachedAt = events.find(({ isBreached }) => isBreached)?.at;
  if (kind !== of || breachedAt === undefined || breachedAt > at) return false;
  const metAt = events.find(({ isBreached }) => !isBreached)?.at;
  return metAt === undefined ? deadlineAt !== null : metAt > at;
}

export const hasEnded = ({ status }: Pick<WatchedRun, 'status'>) =>
  status === 'succeeded' || status === 'failed' || status === 'skipped' || status === 'cancelled';

interface Result {
  kind: BreachKind;
  events: { isBreached: boolean; at: number }[];
  /** The deadline of an objective that is still undecided; null once the run has met or missed it. */
  deadlineAt: number | null;
}

/**
 * An occurrence that was skipped for one of these reasons counts as missed. An occurrence that was skipped by a person,
 * a pause or an edit does not.
 */
const MISSED_REASONS = ['misfire', 'overlap', 'dependency', 'queue_full'];

function judgeRun(run: WatchedRun, slo: Slo, nowAt: number): Result[] {
  const wasMissed = run.status === 'skipped' && MISSED_REASONS.includes(run.reasonCode ?? '');
  if (run.status === 'cancelled' || (run.status === 'skipped' && !wasMissed)) return [];
  const { dueAt, startedAt } = run;
  const { startWithinMs, startGraceMs, endWithinMs, endGraceMs, maxDurationMs } = slo;
  const endedAt = hasEnded(run) ? run.finishedAt : null;
  const results: Result[] = [];
  if (startWithinMs !== null) {
    const deadlineAt = dueAt + startWithinMs + startGraceMs;
    const start = run.mayBeDeferred
      ? judgeClaim(startedAt, deadlineAt)
      : judgeDeadline({ metAt: startedAt, deadlineAt, endedAt, nowAt });
    results.push({ kind: 'start', ...start });
  }
  if (endWithinMs !== null) {
    const deadlineAt = dueAt + endWithinMs + endGraceMs;
    const metAt = run.status === 'succeeded' ? endedAt : null;
    results.push({ kind: 'end', ...judgeDeadline({ metAt, deadlineAt, endedAt, nowAt }) });
  }
  if (maxDurationMs !== null && !wasMissed) {
    const deadlineAt = Math.max(startedAt ?? nowAt, dueAt) + maxDurationMs;
    const metAt = startedAt === null ? null : endedAt;
    results.push({
      kind: 'duration',
      ...judgeDeadline({ metAt, deadlineAt, endedAt: startedAt === null ? null : endedAt, nowAt }),
    });
  }
  return results;
}

interface Deadline {
  /** When the run met the objective; null if it has not. */
  metAt: number | null;
  deadlineAt: number;
  /** When the run ended, with any outcome; null while it is open. */
  endedAt: number | null;
  nowAt: number;
}

function judgeDeadline({ metAt, deadlineAt, endedAt, nowAt }: Deadline): Omit<Result, 'kind'> {
  if (metAt !== null) {
    const met = { isBreached: false, at: metAt };
    const events = metAt <= deadlineAt ? [met] : [{ isBreached: true, at: deadlineAt }, met];
    return { events, deadlineAt: null };
  }
  // A run that has ended without meeting the objective can no longer meet it, so the breach does not wait for the
  // deadline.
  if (endedAt !== null)
    return { events: [{ isBreached: true, at: Math.min(endedAt, deadlineAt) }], deadlineAt: null };
  const events = nowAt >= deadlineAt ? [{ isBreached: true, at: deadlineAt }] : [];
  return { events, deadlineAt };
}

/**
 * The start objective of a run that was claimed and may still be deferred. A claim after the deadline is a breach in any
 * case. A claim before the deadline decides nothing yet.
 */
function judgeClaim(claimedAt: number | null, deadlineAt: number): Omit<Result, 'kind'> {
  const isLate = claimedAt !== null && claimedAt > deadlineAt;
  return { events: isLate ? [{ isBreached: true, at: deadlineAt }] : [], deadlineAt };
}

/**
 * A rate over the last n runs allows a number of failures that is computed from n, even while fewer than n runs have
 * ended. A rate over a window is compared with the share of successes among the runs of that window.
 */
function judgeRate(
  { percent, last }: NonNullable<Slo['successRate']>,
  { succeeded, failed, latestFailure }: RunCounts,
  nowAt: number,
): Verdict[] {
  const total = succeeded + failed;
  const allowed = Math.floor(((last ?? total) * (100 - percent)) / 100 + 1e-9);
  const isBreached = failed > allowed;
  const occurrenceAt = latestFailure?.occurrenceAt ?? nowAt;
  return [{ kind: 'success_rate', isBreached, at: nowAt, occurrenceAt, run: null }];
}
