import type { Plan } from '../plan.js';
import type { StoryRun, StoryStep } from './story.js';
import { inWords } from './words.js';

const iso = (at: number) => new Date(at).toISOString();

/** Explains in one sentence what became of a run and why, for a person who writes a report. */
export function explainRun(run: StoryRun, story: readonly StoryStep[], plan: Plan | null): string {
  const { status, attempt, reason, finishedAt, dueAt } = run;
  const nextAttemptAt = run.nextAttemptAt === Number.POSITIVE_INFINITY ? null : run.nextAttemptAt;
  const details = detailsOf(story, run);
  const sentence = (head: string, ...more: string[]) =>
    [head, [...details, ...more].join('; ')].filter(Boolean).join(': ');
  const again = run.replays > 0 ? [`replayed ${run.replays === 1 ? 'once' : `${run.replays} times`}`] : [];
  switch (status) {
    case 'skipped':
      return `skipped: ${reason ?? 'no reason was recorded'}`;
    case 'cancelled':
      return sentence(`cancelled: ${reason ?? 'no reason was recorded'}`);
    case 'queued':
      return sentence(waitOf(story, nextAttemptAt), ...replayOf(run));
    case 'running':
      return sentence(beginning(run, plan, 'began'), `attempt ${attempt} is in progress`);
    case 'retrying': {
      const next = nextAttemptAt === null ? 'held by a pause' : `it is tried again at ${iso(nextAttemptAt)}`;
      return sentence(beginning(run, plan, 'began'), ...replayOf(run), next);
    }
    case 'succeeded': {
      const after = `, ${inWords(Math.max(0, (finishedAt ?? dueAt) - dueAt))} after it was due`;
      const end = attempt > 1 ? [`succeeded at attempt ${attempt}${after}`] : [];
      return sentence(beginning(run, plan, attempt > 1 ? 'began' : 'ran'), ...end, ...again);
    }
    case 'failed': {
      const tries = attempt > 1 ? ` after ${attempt} attempts` : '';
      const end = `failed${tries}: ${run.error ?? reason ?? 'no reason was recorded'}`;
      return sentence(`${beginning(run, plan, 'began')}, ${end}`, ...again);
    }
  }
}

/** Says what a queued run waits for. The claim holds the runs of a paused schedule. */
function waitOf(story: readonly StoryStep[], nextAttemptAt: number | null): string {
  const last = story.findLast(({ kind }) => kind === 'paused' || kind === 'resumed');
  if (last?.kind === 'paused') return 'held by a pause';
  return nextAttemptAt === null ? 'waiting for its turn' : 'about to start';
}

const replayOf = ({ reasonCode, reason }: StoryRun) =>
  reasonCode === 'replayed' && reason !== null ? [reason] : [];

/**
 * Says how late the run began. Lateness is the time from when the run was due to the first byte of its first attempt.
 */
function beginning(run: StoryRun, plan: Plan | null, verb: 'ran' | 'began'): string {
  const { origin, status, attempt, claimedAt, dueAt, recordedAt } = run;
  if (origin === 'trigger') return 'triggered by hand';
  if (origin === 'backfill') return 'backfilled';
  // While the first attempt is in flight, its lateness is not recorded yet: the time of its claim is the best estimate.
  const isFirst = status === 'running' && attempt === 1 && claimedAt !== null;
  const lateMs = run.latenessMs ?? (isFirst ? Math.max(0, claimedAt - dueAt) : null);
  if (lateMs === null) return status === 'failed' ? 'never sent' : 'not sent yet';
  if (plan && recordedAt - dueAt > plan.misfire.graceMs) {
    const done = verb === 'ran' ? 'run' : 'begun';
    return `missed at its time and ${done} ${inWords(lateMs)} late, by the misfire policy "${plan.misfire.policy}"`;
  }
  return `${verb} ${inWords(lateMs)} late`;
}

const MENTIONED = new Set<StoryStep['kind']>([
  'queued',
  'claimed',
  'rescheduled',
  'deferred',
  'attempt',
  'paused',
  'resumed',
  'edited',
  'replayed',
  'reported',
  'restored',
]);
/** Maximum number of clauses in a sentence. A longer one shows only its first and its last clauses. */
const MOST_CLAUSES = 12;

/** A run that waited for less than this before its claim or in the queue of its schedule is not called late for it. */
const NOTABLE_WAIT_MS = 1_000;

/** The steps that the sentence mentions. Ordinary steps, such as a claim in time, are left out. */
function detailsOf(story: readonly StoryStep[], run: StoryRun): string[] {
  const { status, dueAt } = run;
  const mentioned = story.filter((step) => MENTIONED.has(step.kind) && isNotable(step, story, run));
  // The sentence about a failed run gives its last error anyway, so the last failed attempt is left out.
  const last = mentioned.at(-1);
  const isLastErrorGiven = status === 'failed' && last?.kind === 'attempt' && last.outcome === 'failed';
  const clauses = joinAttempts(isLastErrorGiven ? mentioned.slice(0, -1) : mentioned, dueAt);
  if (clauses.length <= MOST_CLAUSES) return clauses;
  const left = clauses.length - MOST_CLAUSES;
  return [...clauses.slice(0, MOST_CLAUSES / 2), `${left} more steps`, ...clauses.slice(-MOST_CLAUSES / 2)];
}

function isNotable(
  { kind, at, until, outcome }: StoryStep,
  story: readonly StoryStep[],
  { dueAt, nextAttemptAt }: StoryRun,
): boolean {
  switch (kind) {
    case 'attempt':
      return outcome !== 'succeeded' && outcome !== 'open';
    case 'queued':
      if (until !== null) return until - at >= NOTABLE_WAIT_MS;
      return nextAttemptAt === Number.POSITIVE_INFINITY && !story.some(isHold);
    case 'claimed':
      return at - dueAt >= NOTABLE_WAIT_MS && !story.some((step) => step.at <= at && isHold(step));
    default:
      return true;
  }
}

/** A pause or a restore explains a late claim by itself. */
const isHold = ({ kind }: StoryStep) => kind === 'paused' || kind === 'restored';

/** Attempts in a row that failed in the same way are one clause. */
function joinAttempts(steps: readonly StoryStep[], dueAt: number): string[] {
  const clauses: string[] = [];
  for (let i = 0; i < steps.length; i++) {
    const first = steps[i] as StoryStep;
    let last = first;
    while (isSameFailure(first, steps[i + 1])) last = steps[++i] as StoryStep;
    clauses.push(
      last === first
        ? clauseOf(first, dueAt)
        : `attempts ${first.attempt} to ${last.attempt} failed from ${iso(first.at)} to ${iso(last.at)} (${errorIn(last)})`,
    );
  }
  return clauses;
}

const isSameFailure = (a: StoryStep, b: StoryStep | undefined) =>
  a.kind === 'attempt' && a.outcome === 'failed' && b?.kind === 'attempt' && errorIn(a) === errorIn(b);

const errorIn = ({ text }: StoryStep) => / failed \((.*)\)$/s.exec(text)?.[1];

function clauseOf({ kind, at, until, text }: StoryStep, dueAt: number): string {
  const span = until === null ? `since ${iso(at)}` : `from ${iso(at)} to ${iso(until)}`;
  switch (kind) {
    case 'claimed':
      return `claimed ${inWords(at - dueAt)} after it was due`;
    case 'queued':
      return until === null ? `queued ${span}` : `queued ${span}, until its turn came`;
    case 'deferred':
      // "deferred 9 times by …" becomes "deferred 9 times from … to … by …".
      return text.replace(/^(deferred (?:once|\d+ times))/, `$1 ${span}`);
    default:
      return `${text} at ${iso(at)}`;
  }
}
