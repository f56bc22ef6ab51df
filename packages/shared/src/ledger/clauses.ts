import type { StoryRun, StoryStep } from './story.js';
import { AWAITING_PING, inWords } from './words.js';

const iso = (at: number) => new Date(at).toISOString();

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
const MAX_CLAUSES = 12;

/** A sentence does not mention a wait shorter than this, whether for the claim or in the queue of the schedule. */
const NOTABLE_WAIT_MS = 1_000;

/**
 * The clauses of the sentence that explains a run, one for each step that the sentence mentions. Ordinary steps, such
 * as a claim in time, are left out.
 */
export function clausesOf(story: readonly StoryStep[], run: StoryRun): string[] {
  const { status, dueAt } = run;
  const mentioned = story.filter((step) => MENTIONED.has(step.kind) && isNotable(step, story, run));
  // The sentence about a failed run gives its last error anyway, so the last failed attempt is left out.
  const last = mentioned.at(-1);
  const isLastErrorGiven = status === 'failed' && last?.kind === 'attempt' && last.outcome === 'failed';
  const clauses = joinAttempts(isLastErrorGiven ? mentioned.slice(0, -1) : mentioned, dueAt);
  if (clauses.length <= MAX_CLAUSES) return clauses;
  const left = clauses.length - MAX_CLAUSES;
  return [...clauses.slice(0, MAX_CLAUSES / 2), `${left} more steps`, ...clauses.slice(-MAX_CLAUSES / 2)];
}

function isNotable(
  { kind, at, until, outcome, reasonCode }: StoryStep,
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
    case 'deferred':
      // The sentence about a heartbeat already says that the run waited for the ping (report) of its job.
      return reasonCode !== AWAITING_PING;
    default:
      return true;
  }
}

/** True for a pause or a restore. It explains why the run was late, so the sentence does not mention the late claim. */
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
