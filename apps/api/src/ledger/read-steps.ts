import {
  type BulkReplayView,
  type Database,
  type DeferralView,
  MAX_STEPS_PER_PAGE,
  type RunChange,
  type RunView,
  readAttemptsBetween,
  readBulkReplaysBetween,
  readDeferralsBetween,
  readRunChanges,
} from '@carillon/db';
import { encodeRunId, type RunIdentity, type StoryAttempt } from '@carillon/shared';

interface Steps {
  attempts: StoryAttempt[];
  deferrals: DeferralView[];
  replays: BulkReplayView[];
  changes: RunChange[];
}

/** The attempts, deferrals, bulk replays and changes of some runs. */
export interface RunSteps {
  of(run: RunIdentity): Steps;
  /**
   * All steps were read of runs whose occurrence is at or before this instant. Infinity if every query has read all
   * steps.
   */
  completeUntilAt: number;
}

const noSteps = (): Steps => ({ attempts: [], deferrals: [], replays: [], changes: [] });

/**
 * Reads the attempts, deferrals, bulk replays and changes of a schedule's runs, which the caller gives in the order of
 * their occurrences. Sends no query if there are no runs.
 */
export async function readSteps(
  db: Database,
  { projectId, runs, nowAt }: { projectId: number; runs: readonly RunView[]; nowAt: number },
): Promise<RunSteps> {
  const stepsByRunId = new Map<string, Steps>();
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last) return { of: noSteps, completeUntilAt: Number.POSITIVE_INFINITY };
  const range = {
    projectId,
    scheduleId: first.scheduleId,
    fromAt: first.occurrenceAt,
    toAt: last.occurrenceAt,
  };
  const of = (run: RunIdentity) => {
    const id = encodeRunId(run);
    const steps = stepsByRunId.get(id) ?? noSteps();
    stepsByRunId.set(id, steps);
    return steps;
  };
  const attempts = await readAttemptsBetween(db, range);
  const deferrals = await readDeferralsBetween(db, range);
  const replays = runs.some((run) => run.replays > 0) ? await readBulkReplaysBetween(db, range) : [];
  const changes = await readRunChanges(db, { projectId, runs, nowAt });
  for (const attempt of attempts) of(attempt).attempts.push(attempt);
  for (const deferral of deferrals) of(deferral).deferrals.push(deferral);
  for (const replay of replays) of(replay).replays.push(replay);
  for (const change of changes) of(change).changes.push(change);
  const completeUntilAt = Math.min(...[attempts, deferrals, replays, changes].map(endOfSteps));
  return { of, completeUntilAt };
}

/**
 * The occurrence up to which a query has read all steps. A query that has reached `MAX_STEPS_PER_PAGE` ends with the
 * occurrence of its last row. Any other query has read everything.
 */
const endOfSteps = (steps: readonly RunIdentity[]) =>
  (steps.length < MAX_STEPS_PER_PAGE ? undefined : steps.at(-1)?.occurrenceAt) ?? Number.POSITIVE_INFINITY;
