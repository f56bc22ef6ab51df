import type { FailedRun } from '@carillon/db';
import { encodeRunId } from '@carillon/shared';

/** The fields by which a log line names a run. */
export interface RunFields {
  projectId: number;
  scheduleId: string;
  runId: string;
  attempt: number;
}

export const runFields = (
  run: Pick<FailedRun, 'scheduleId' | 'occurrenceAt' | 'origin' | 'projectId' | 'scheduleKey' | 'attempt'>,
): RunFields => ({
  projectId: run.projectId,
  scheduleId: run.scheduleKey,
  runId: encodeRunId(run),
  attempt: run.attempt,
});
