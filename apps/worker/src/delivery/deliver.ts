import { isDatabaseError, isTransientError } from '@carillon/db';
import { type Outcome, type Plan, targetProblem } from '@carillon/shared';
import type { Flight } from '../pipeline/in-flight.js';
import type { ProjectSettings } from './traffic/project-settings.js';

/** Makes one attempt at one run. The promise never rejects: a failure is an outcome too. */
export type Deliver = (flight: Flight) => Promise<Outcome>;

/**
 * Delivers a run to one kind of target, and stops when the flight is aborted. An exception counts as a transient
 * failure.
 */
export type TargetDeliver = (flight: Flight) => Promise<Outcome>;

/**
 * Returns the function that delivers a run by the kind of its target. The limits of the project may have changed since
 * the schedule was created, so it first checks whether the project may still use that kind.
 */
export function deliverBy(
  targets: Record<Plan['target']['type'], TargetDeliver>,
  settings: Pick<ProjectSettings, 'of'>,
): Deliver {
  return async (flight) => {
    const { projectId, plan } = flight.run;
    try {
      const found = settings.of(projectId);
      const { projectKey, limits } = found instanceof Promise ? await found : found;
      flight.projectKey = projectKey;
      const problem = targetProblem(plan.target, { project: projectKey, limits });
      if (problem)
        return { kind: 'failed', isTransient: false, errorCode: 'not_allowed', error: problem.message };
      return await targets[plan.target.type](flight);
    } catch (error) {
      return toFailure(error, flight);
    }
  };
}

const POSTGRES_UNAVAILABLE = 'Carillon could not read its own settings from Postgres';

function toFailure(error: unknown, { reason, run, sentAt }: Flight): Outcome {
  // The attempt of a run that was not begun does not count.
  if (reason === 'shutdown' || (reason === 'lease_lost' && sentAt === null)) return { kind: 'handed_back' };
  // A failure on Carillon's side (settings or secrets could not be read) must not cost the run an attempt. Before the
  // first byte is sent, only Carillon's own statements run, so a database error then is a failure on Carillon's side.
  if (isTransientError(error) || (sentAt === null && isDatabaseError(error)))
    return {
      kind: 'deferred',
      retryInMs: 1_000,
      reasonCode: 'postgres_unavailable',
      reason: POSTGRES_UNAVAILABLE,
    };
  if (reason === 'timeout') {
    return {
      kind: 'failed',
      isTransient: true,
      errorCode: 'timeout',
      error: `no answer within ${run.plan.timeoutMs} ms`,
    };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', isTransient: true, errorCode: 'error', error: text };
}
