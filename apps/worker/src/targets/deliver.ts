import type { Outcome } from '@carillon/shared';
import type { AbortReason, Flight } from '../in-flight.js';

/** One attempt at one run. Never rejects: whatever happens is an outcome. */
export type Deliver = (flight: Flight) => Promise<Outcome>;

/** Delivers to one kind of target; the signal says when to stop trying. */
export type TargetDeliver = (flight: Flight, signal: AbortSignal) => Promise<Outcome>;

/** Delivers by the kind of the target, under the deadline of the plan. */
export function deliverBy(targets: Record<Flight['run']['plan']['target']['type'], TargetDeliver>): Deliver {
  return async (flight) => {
    const { abort, run } = flight;
    const timer = setTimeout(() => abort.abort('timeout' satisfies AbortReason), run.plan.timeoutMs);
    try {
      return await targets[run.plan.target.type](flight, abort.signal);
    } catch (error) {
      return toFailure(error, abort.signal, run.plan.timeoutMs);
    } finally {
      clearTimeout(timer);
    }
  };
}

function toFailure(error: unknown, signal: AbortSignal, timeoutMs: number): Outcome {
  const reason = signal.aborted ? (signal.reason as AbortReason) : null;
  if (reason === 'shutdown') return { kind: 'handed_back' };
  if (reason === 'timeout') {
    return {
      kind: 'failed',
      isTransient: true,
      errorCode: 'timeout',
      error: `no answer within ${timeoutMs} ms`,
    };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', isTransient: true, errorCode: 'error', error: text };
}
