import {
  type Database,
  type DeferralView,
  type RunView,
  readAttemptsBetween,
  readDeferralsBetween,
} from '@carillon/db';
import { encodeRunId, type RunIdentity, type StoryAttempt } from '@carillon/shared';

interface Steps {
  attempts: StoryAttempt[];
  deferrals: DeferralView[];
}

/** The attempts and deferrals of some runs. */
export interface RunSteps {
  of(run: RunIdentity): Steps;
}

/** Reads the attempts and deferrals of a schedule's runs. Sends no query if no run has any. */
export async function readSteps(
  db: Database,
  { projectId, runs }: { projectId: number; runs: readonly RunView[] },
): Promise<RunSteps> {
  const found = new Map<string, Steps>();
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last) return { of: () => ({ attempts: [], deferrals: [] }) };
  const range = {
    projectId,
    scheduleId: first.scheduleId,
    fromAt: first.occurrenceAt,
    toAt: last.occurrenceAt,
  };
  const of = (run: RunIdentity) => {
    const id = encodeRunId(run);
    const steps = found.get(id) ?? { attempts: [], deferrals: [] };
    found.set(id, steps);
    return steps;
  };
  const attempts = await readAttemptsBetween(db, range);
  const deferrals = await readDeferralsBetween(db, range);
  for (const attempt of attempts) of(attempt).attempts.push(attempt);
  for (const deferral of deferrals) of(deferral).deferrals.push(deferral);
  return { of };
}
