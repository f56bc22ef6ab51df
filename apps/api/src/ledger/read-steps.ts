import {
  type BulkReplayView,
  type Database,
  type DeferralView,
  type RunView,
  readAttemptsBetween,
  readBulkReplaysBetween,
  readDeferralsBetween,
} from '@carillon/db';
import { encodeRunId, type RunIdentity, type StoryAttempt } from '@carillon/shared';

interface Steps {
  attempts: StoryAttempt[];
  deferrals: DeferralView[];
  replays: BulkReplayView[];
}

/** The attempts, deferrals and bulk replays of some runs. */
export interface RunSteps {
  of(run: RunIdentity): Steps;
}

const noSteps = (): Steps => ({ attempts: [], deferrals: [], replays: [] });

/** Reads the attempts, deferrals and bulk replays of a schedule's runs. Sends no query if there are no runs. */
export async function readSteps(
  db: Database,
  { projectId, runs }: { projectId: number; runs: readonly RunView[] },
): Promise<RunSteps> {
  const found = new Map<string, Steps>();
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last) return { of: noSteps };
  const range = {
    projectId,
    scheduleId: first.scheduleId,
    fromAt: first.occurrenceAt,
    toAt: last.occurrenceAt,
  };
  const of = (run: RunIdentity) => {
    const id = encodeRunId(run);
    const steps = found.get(id) ?? noSteps();
    found.set(id, steps);
    return steps;
  };
  const attempts = await readAttemptsBetween(db, range);
  const deferrals = await readDeferralsBetween(db, range);
  const replays = runs.some((run) => run.replays > 0) ? await readBulkReplaysBetween(db, range) : [];
  for (const attempt of attempts) of(attempt).attempts.push(attempt);
  for (const deferral of deferrals) of(deferral).deferrals.push(deferral);
  for (const replay of replays) of(replay).replays.push(replay);
  return { of };
}
