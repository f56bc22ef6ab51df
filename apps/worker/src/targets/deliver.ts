import type { Outcome, Plan } from '@carillon/shared';
import type { Flight } from '../in-flight.js';

/** One attempt at one run. Never rejects: whatever happens is an outcome. */
export type Deliver = (flight: Flight) => Promise<Outcome>;

/** Delivers to one kind of target, until the flight says to stop. What it throws is a failure that may pass. */
export type TargetDeliver = (flight: Flight) => Promise<Outcome>;

/** Delivers by the kind of the target. */
export function deliverBy(targets: Record<Plan['target']['type'], TargetDeliver>): Deliver {
  return async (flight) => {
    try {
      return await targets[flight.run.plan.target.type](flight);
    } catch (error) {
      return toFailure(error, flight);
    }
  };
}

function toFailure(error: unknown, { reason, run }: Flight): Outcome {
  if (reason === 'shutdown') return { kind: 'handed_back' };
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
