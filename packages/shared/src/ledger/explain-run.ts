import { missingHandler, type Plan } from '../plan.js';
import { clausesOf } from './clauses.js';
import type { StoryRun, StoryStep } from './story.js';
import { AWAITING_PING, inWords, noLiveHandler, waitForHandler } from './words.js';

const iso = (at: number) => new Date(at).toISOString();

export interface RunFacts {
  /** The definition with which the run began; null if it is not known. */
  plan: Plan | null;
  /** The handlers of all live workers; null if no worker is alive. */
  liveHandlers: ReadonlySet<string> | null;
}

/** Explains in one sentence what became of a run and why, for a person who writes a report. */
export function explainRun(
  run: StoryRun,
  story: readonly StoryStep[],
  { plan, liveHandlers }: RunFacts,
): string {
  const { status, attempt, reason } = run;
  const nextAttemptAt = run.nextAttemptAt === Number.POSITIVE_INFINITY ? null : run.nextAttemptAt;
  const missing = plan && missingHandler(plan, liveHandlers);
  const details = clausesOf(story, run);
  const sentence = (head: string, ...more: string[]) =>
    [head, [...details, ...more].join('; ')].filter(Boolean).join(': ');
  // The author of a replay is not known if retention has deleted the entry of the audit log.
  const isEachReplayTold = story.filter(({ kind }) => kind === 'replayed').length >= run.replays;
  const again = isEachReplayTold ? [] : [`replayed ${run.replays === 1 ? 'once' : `${run.replays} times`}`];
  const waits = isEachReplayTold ? [] : replayOf(run);
  switch (status) {
    case 'skipped':
      return `skipped: ${reason ?? 'no reason was recorded'}`;
    case 'cancelled':
      return sentence(`cancelled: ${reason ?? 'no reason was recorded'}`);
    case 'queued':
      return sentence(waitOf(story, nextAttemptAt, missing), ...waits);
    case 'running':
      return sentence(headOf(run, story, plan), `attempt ${attempt} is in progress`);
    case 'retrying': {
      const next = nextAttemptAt === null ? 'held by a pause' : `it is tried again at ${iso(nextAttemptAt)}`;
      const also = missing === null || nextAttemptAt === null ? [] : [noLiveHandler(missing)];
      return sentence(headOf(run, story, plan), ...waits, next, ...also);
    }
    case 'succeeded': {
      const end = attempt > 1 ? [`succeeded at attempt ${attempt}, ${afterDue(run)}`] : [];
      return sentence(headOf(run, story, plan), ...end, ...again);
    }
    case 'failed': {
      const tries = attempt > 1 ? ` after ${attempt} attempts` : '';
      const end = `failed${tries}: ${run.error ?? reason ?? 'no reason was recorded'}`;
      return sentence([headOf(run, story, plan), end].filter(Boolean).join(', '), ...again);
    }
  }
}

/**
 * Says what a queued run waits for. A pause is checked first, because a run of a paused schedule does not start, even if
 * its `nextAttemptAt` has passed.
 */
function waitOf(story: readonly StoryStep[], nextAttemptAt: number | null, missing: string | null): string {
  const last = story.findLast(({ kind }) => kind === 'paused' || kind === 'resumed');
  if (last?.kind === 'paused') return 'held by a pause';
  if (nextAttemptAt === null) return 'waiting for its turn';
  return missing === null ? 'about to start' : waitForHandler(missing);
}

const replayOf = ({ reasonCode, reason }: StoryRun) =>
  reasonCode === 'replayed' && reason !== null ? [reason] : [];

const afterDue = ({ finishedAt, dueAt }: StoryRun) =>
  `${inWords(Math.max(0, (finishedAt ?? dueAt) - dueAt))} after it was due`;

/** Says who asked for the run, if a person did, and how the run began. */
function headOf(run: StoryRun, story: readonly StoryStep[], plan: Plan | null): string {
  const request = story.find(({ kind }) => kind === 'triggered' || kind === 'backfilled');
  const isAwaited = story.some(({ reasonCode }) => reasonCode === AWAITING_PING);
  const isHeartbeat = isAwaited || plan?.target.type === 'heartbeat';
  const begun = isHeartbeat ? pingOf(run, isAwaited) : beginning(run, plan);
  return [request?.text, begun].filter(Boolean).join(', ');
}

/**
 * Says whether the job of a heartbeat has reported (sent its ping). Nothing is sent to the job, so there is no
 * lateness.
 */
function pingOf(run: StoryRun, isAwaited: boolean): string | null {
  if (run.status === 'failed') return null;
  if (run.status !== 'succeeded') return 'waiting for the ping of its job';
  return `succeeded: the ping of its job came ${isAwaited ? afterDue(run) : 'before its claim'}`;
}

/**
 * Says how late the run began. Lateness is the time from when the run was due to the first byte of its first attempt.
 */
function beginning(run: StoryRun, plan: Plan | null): string {
  const { origin, status, attempt, claimedAt, dueAt, recordedAt } = run;
  // While the first attempt is in flight, its lateness is not recorded yet: the time of its claim is the best estimate.
  const isFirst = status === 'running' && attempt === 1 && claimedAt !== null;
  const lateMs = run.latenessMs ?? (isFirst ? Math.max(0, claimedAt - dueAt) : null);
  if (lateMs === null) {
    if (status === 'succeeded') return 'succeeded';
    return status === 'failed' ? 'never sent' : 'not sent yet';
  }
  const isWhole = status === 'succeeded' && attempt === 1;
  if (plan && origin === 'rule' && recordedAt - dueAt > plan.misfire.graceMs) {
    const done = isWhole ? 'run' : 'begun';
    return `missed at its time and ${done} ${inWords(lateMs)} late, by the misfire policy "${plan.misfire.policy}"`;
  }
  return `${isWhole ? 'ran' : 'began'} ${inWords(lateMs)} late`;
}
