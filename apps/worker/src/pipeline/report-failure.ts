import type { FailedRun } from '@carillon/db';
import { failureLabel } from '@carillon/shared';
import type { WorkerContext } from '../context.js';
import { runFields } from './run-fields.js';

/** Logs and counts a run that has failed for good, with its ids and the reason. */
export function reportFailure(
  { log, metrics }: Pick<WorkerContext, 'log' | 'metrics'>,
  run: FailedRun,
): void {
  const { targetType, errorCode, error } = run;
  metrics.count(
    'carillon_runs_failed_total',
    1,
    `target="${targetType}",reason="${failureLabel(errorCode)}"`,
  );
  log.error(
    { ...runFields(run), target: targetType, errorCode, error },
    'Run failed for good: replay it when the cause is gone',
  );
}
