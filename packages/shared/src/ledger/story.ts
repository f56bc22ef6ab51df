import type { ATTEMPT_OUTCOMES, LEDGER_STEPS, RUN_STATUSES } from '../contracts/run.js';
import { encodeRunId, type RunIdentity } from '../run-id.js';
import { describeAttempt, describeDeferral } from './words.js';

export type AttemptOutcome = Exclude<(typeof ATTEMPT_OUTCOMES)[number], 'open'>;

/** The facts about a run from which its story (the steps of its history) is made. */
export interface StoryRun extends RunIdentity {
  status: (typeof RUN_STATUSES)[number];
  version: number;
  dueAt: number;
  recordedAt: number;
  claimedAt: number | null;
  finishedAt: number | null;
  attempt: number;
  replays: number;
  latenessMs: number | null;
  /**
   * When the next attempt may start: Infinity while a pause holds the run or the run waits for its turn, null if there
   * is none.
   */
  nextAttemptAt: number | null;
  error: string | null;
  reasonCode: string | null;
  reason: string | null;
}

export interface StoryAttempt {
  number: number;
  workerId: number | null;
  claimedAt: number | null;
  finishedAt: number | null;
  outcome: AttemptOutcome | null;
  errorCode: string | null;
  error: string | null;
}

/** All deferrals of one attempt for the same reason, summed up. */
export interface StoryDeferral {
  attempt: number;
  reasonCode: string;
  reason: string;
  /** The claim that led to the first of these deferrals. */
  fromAt: number;
  /** When the run was to be tried again after the last of these deferrals. */
  untilAt: number;
  count: number;
}

/** An entry of the audit log about the schedule or one of its runs. */
export interface StoryChange {
  at: number;
  actor: string;
  action: string;
  detail: Record<string, unknown> | null;
}

/** A bulk replay that included the run. */
export interface StoryReplay {
  at: number;
  actor: string;
}

/** The versions of the time zone data that were in use from `sinceAt` until the next period begins. */
export interface TzdataPeriod {
  sinceAt: number;
  versions: readonly string[];
}

export interface StorySources {
  run: StoryRun;
  attempts: readonly StoryAttempt[];
  deferrals: readonly StoryDeferral[];
  replays: readonly StoryReplay[];
  changes: readonly StoryChange[];
  /** Oldest first; empty for a rule that does not depend on a time zone. */
  tzdata: readonly TzdataPeriod[];
  nowAt: number;
}

/** The prefix of the actor in audit entries about occurrences that new time zone data has moved. */
export const TZDATA_ACTOR = 'time zone data ';

/** One step in the history (the story) of an occurrence. */
export interface StoryStep {
  at: number;
  until: number | null;
  kind: (typeof LEDGER_STEPS)[number];
  text: string;
  actor: string | null;
  attempt: number | null;
  outcome: (typeof ATTEMPT_OUTCOMES)[number] | null;
  reasonCode: string | null;
  count: number;
  version: number | null;
}

export const step = (
  kind: StoryStep['kind'],
  at: number,
  text: string,
  more: Partial<StoryStep> = {},
): StoryStep => ({
  at,
  until: null,
  kind,
  text,
  actor: null,
  attempt: null,
  outcome: null,
  reasonCode: null,
  count: 1,
  version: null,
  ...more,
});

/** The longest time that a delivery waits in the memory of a worker before it is deferred. */
export const MAX_CLAIM_MS = 30_000;

/** Everything that happened to a run, in order. */
export function storyOfRun(sources: StorySources): StoryStep[] {
  const { run, attempts, deferrals, replays } = sources;
  const steps = [
    ...beginningOf(sources),
    ...deferrals.map((deferral) => deferralStep(deferral, attempts, run)),
    ...attempts.map(attemptStep),
    ...replays.map(({ at, actor }) => step('replayed', at, `replayed by ${actor} (bulk replay)`, { actor })),
    ...changeSteps(sources),
    ...endOf(run),
  ];
  return inOrder(steps);
}

/** Sorts steps by time. Steps at the same instant keep their order. */
export const inOrder = (steps: readonly StoryStep[]) => steps.toSorted((a, b) => a.at - b.at);

interface Naming {
  at: number;
  version: number;
  changes: readonly StoryChange[];
  tzdata: readonly TzdataPeriod[];
  /** Until this instant the occurrence was pending, so new time zone data could still move it. */
  pendingUntilAt: number;
}

/**
 * The first step of an occurrence, with the kind `named`: says which version of the rule yields the occurrence, and the
 * time zone data with which the occurrence was computed.
 */
export function namedStep({ at, version, changes, tzdata, pendingUntilAt }: Naming): StoryStep {
  const author = changes.find(
    ({ action, detail }) => action === 'schedule.edited' && detail?.version === version,
  )?.actor;
  const isMoved = author?.startsWith(TZDATA_ACTOR) ?? false;
  const used = tzdata.findLast(({ sinceAt }) => sinceAt <= pendingUntilAt)?.versions ?? [];
  const data = isMoved ? author : used.length > 0 ? `${TZDATA_ACTOR}${used.join(' or ')}` : undefined;
  const by = data === undefined ? '' : `, computed with ${data}`;
  return step('named', at, `named by version ${version} of the rule${by}`, { version });
}

function beginningOf({ run, attempts, deferrals, changes, tzdata }: StorySources): StoryStep[] {
  const { origin, occurrenceAt, dueAt, recordedAt, version, status } = run;
  const steps: StoryStep[] = [];
  if (origin === 'rule') {
    const pendingUntilAt = Math.min(occurrenceAt, recordedAt);
    steps.push(namedStep({ at: occurrenceAt, version, changes, tzdata, pendingUntilAt }));
    if (dueAt !== occurrenceAt || status !== 'skipped') steps.push(step('due', dueAt, 'due'));
  }
  if (origin === 'trigger') {
    const runId = encodeRunId(run);
    const by = changes.find(
      ({ action, detail }) => action === 'schedule.triggered' && detail?.runId === runId,
    );
    const who = by ? `triggered by ${by.actor}` : 'triggered by hand';
    steps.push(step('triggered', recordedAt, who, { actor: by?.actor ?? null, version }));
  }
  if (origin === 'backfill') {
    // The entry of the audit log is written a moment after the runs.
    const by = changes.find(({ action, at }) => action === 'schedule.backfilled' && at >= recordedAt);
    const who = by ? `backfilled by ${by.actor}` : 'backfilled';
    steps.push(step('backfilled', recordedAt, who, { actor: by?.actor ?? null, version }));
  }
  const firstAt = Math.min(
    attempts[0]?.claimedAt ?? run.claimedAt ?? Number.POSITIVE_INFINITY,
    deferrals[0]?.fromAt ?? Number.POSITIVE_INFINITY,
  );
  // The claim of a rule's occurrence inserts the row of the run. A run whose first claim came later was queued.
  const wasQueued = origin !== 'rule' || status === 'queued' || firstAt > recordedAt;
  if (status === 'skipped') return steps;
  const until = Number.isFinite(firstAt) ? firstAt : endedAtOf(run);
  if (wasQueued) steps.push(step('queued', recordedAt, 'queued: it waits for its turn', { until }));
  else if (Number.isFinite(firstAt))
    steps.push(step('claimed', recordedAt, `claimed${workerOf(attempts[0], recordedAt)}`));
  return steps;
}

const workerOf = (first: StoryAttempt | undefined, recordedAt: number) =>
  first?.claimedAt === recordedAt && first.workerId !== null ? ` by worker ${first.workerId}` : '';

function deferralStep(deferral: StoryDeferral, attempts: readonly StoryAttempt[], run: StoryRun): StoryStep {
  const { attempt, fromAt, reasonCode, count } = deferral;
  const begun = attempts.find(({ number }) => number >= attempt)?.claimedAt ?? null;
  const endedAt = begun ?? endedAtOf(run);
  const isOver = endedAt !== null || run.reasonCode !== reasonCode;
  const until = isOver ? Math.min(deferral.untilAt, endedAt ?? deferral.untilAt) : null;
  return step('deferred', fromAt, describeDeferral(deferral), { until, attempt, reasonCode, count });
}

function attemptStep(attempt: StoryAttempt): StoryStep {
  const { number, claimedAt, finishedAt, outcome, errorCode } = attempt;
  return step('attempt', claimedAt ?? 0, describeAttempt(attempt), {
    until: finishedAt,
    attempt: number,
    outcome: outcome ?? 'open',
    reasonCode: errorCode,
  });
}

/**
 * When the run ended; null while it is open. For a run that waits, `finishedAt` is the end of its latest attempt, not
 * of the run.
 */
export const endedAtOf = ({ status, finishedAt }: StoryRun) =>
  status === 'queued' || status === 'retrying' || status === 'running' ? null : finishedAt;

function endOf(run: StoryRun): StoryStep[] {
  const { status, reason, reasonCode, error, dueAt } = run;
  const finishedAt = endedAtOf(run);
  if (finishedAt === null || status === 'queued' || status === 'retrying' || status === 'running') return [];
  const why = reason ?? error;
  const since = status === 'succeeded' ? `, ${Math.max(0, finishedAt - dueAt)} ms after it was due` : '';
  const text = `${status}${since}${why && status !== 'succeeded' ? `: ${why}` : ''}`;
  return [step(status, finishedAt, text, { reasonCode })];
}

const KIND_OF_ACTION: Record<string, StoryStep['kind']> = {
  'schedule.paused': 'paused',
  'schedule.resumed': 'resumed',
  'schedule.edited': 'edited',
  'schedule.replaced': 'edited',
  'schedule.rescheduled': 'rescheduled',
  'schedule.next_skipped': 'skipped',
  'schedule.cancelled': 'cancelled',
  'run.cancelled': 'cancelled',
  'run.replayed': 'replayed',
  'run.reported': 'reported',
};

/** The actions in the audit log that a story needs and that concern a single run. Their details name the run. */
export const RUN_CHANGES: readonly string[] = [
  'run.cancelled',
  'run.replayed',
  'run.reported',
  'schedule.triggered',
];

/** The actions in the audit log that a story needs and that concern a schedule. */
export const SCHEDULE_CHANGES: readonly string[] = [
  'schedule.created',
  'schedule.backfilled',
  ...Object.keys(KIND_OF_ACTION).filter((action) => !RUN_CHANGES.includes(action)),
];

/**
 * The changes that concern one run: changes that name the run, changes of its schedule while the run was due or open,
 * and the pause that was in force when the run became due.
 */
function changeSteps({ run, changes, nowAt }: StorySources): StoryStep[] {
  const runId = encodeRunId(run);
  const span = { fromAt: Math.min(run.dueAt, run.recordedAt), untilAt: endedAtOf(run) ?? nowAt };
  const pause = pauseBefore(changes, span.fromAt);
  return changes.flatMap((change) => {
    const { action, detail } = change;
    if (action === 'run.cancelled' || action === 'run.replayed' || action === 'run.reported')
      return detail?.run === runId ? [changeStep(change)] : [];
    if (action === 'installation.restored')
      return run.origin === 'rule' && isInLostTime(change, { fromAt: run.dueAt, toAt: run.dueAt, ...run })
        ? [restoredStep(change)]
        : [];
    if (action === 'schedule.rescheduled' || action === 'schedule.next_skipped')
      return namesOccurrence(change, run) ? [changeStep(change)] : [];
    return KIND_OF_ACTION[action] && (isDuring(change, span) || change === pause) ? [changeStep(change)] : [];
  });
}

/**
 * True if the occurrences were due in the lost time of a restore (the time whose transactions were lost), and were
 * recorded after the loss was noticed.
 */
export function isInLostTime(
  { detail }: StoryChange,
  { fromAt, toAt, recordedAt }: { fromAt: number; toAt: number; recordedAt: number },
): boolean {
  const { heldAt, lostFromAt, lostUntilAt } = (detail ?? {}) as Record<string, number | undefined>;
  if (heldAt === undefined || lostFromAt === undefined || lostUntilAt === undefined) return false;
  return recordedAt >= heldAt && toAt >= lostFromAt && fromAt <= lostUntilAt;
}

const DECISIONS: Record<string, string> = {
  account: 'not to run it',
  refire: 'to run it',
  'by-policy': 'to follow the misfire policy',
};

/**
 * The step in which an operator decided what becomes of occurrences that were due in the time that a restore has lost.
 */
export function restoredStep({ at, actor, detail }: StoryChange): StoryStep {
  const decision = DECISIONS[String(detail?.mode)] ?? 'to go on';
  const text = `due in the time that a restore has lost: ${actor} chose ${decision}`;
  return step('restored', at, text, { actor });
}

const isDuring = ({ at }: StoryChange, { fromAt, untilAt }: { fromAt: number; untilAt: number }) =>
  at >= fromAt && at <= untilAt;

export const namesOccurrence = (
  { detail }: StoryChange,
  { origin, occurrenceAt }: Pick<RunIdentity, 'origin' | 'occurrenceAt'>,
) => origin === 'rule' && detail?.occurrenceAt === new Date(occurrenceAt).toISOString();

/**
 * The changes after which a schedule is paused or no longer paused. A cancel and a creation belong to them: if a
 * schedule is created again under the key of a cancelled or removed one, it is not paused.
 */
export const PAUSE_CHANGES: ReadonlySet<string> = new Set([
  'schedule.created',
  'schedule.paused',
  'schedule.resumed',
  'schedule.cancelled',
]);

/**
 * The pause that was in force when the run became due; undefined if there is none. A pause holds runs of every origin.
 */
function pauseBefore(changes: readonly StoryChange[], dueAt: number): StoryChange | undefined {
  const last = changes.findLast(({ action, at }) => PAUSE_CHANGES.has(action) && at < dueAt);
  return last?.action === 'schedule.paused' ? last : undefined;
}

const REPORTS: Record<string, string> = {
  start: 'its start',
  success: 'a success',
  fail: 'a failure',
  log: 'a text',
};

/**
 * Words for actions whose step kind would mislead. For example, `cancelled` would say that the run was cancelled,
 * although its schedule was.
 */
const WORDS: Record<string, string> = {
  'schedule.cancelled': 'its schedule was cancelled',
  'schedule.replaced': 'its schedule was replaced',
};

export function changeStep({ at, actor, action, detail }: StoryChange): StoryStep {
  const kind = KIND_OF_ACTION[action] ?? 'edited';
  const version = kind === 'edited' && typeof detail?.version === 'number' ? detail.version : null;
  const note = typeof detail?.note === 'string' && detail.note !== '' ? ` (note: ${detail.note})` : '';
  if (kind === 'reported')
    return step(kind, at, `the job reported ${REPORTS[String(detail?.kind)] ?? 'something'}${note}`, {
      actor,
    });
  const to = kind === 'rescheduled' && typeof detail?.to === 'string' ? ` (to ${detail.to})` : '';
  const made = version === null ? '' : ` (from version ${version - 1} to version ${version})`;
  const what = WORDS[action] ?? kind;
  return step(kind, at, `${what} by ${actor}${to}${note}${made}`, { actor, version });
}
