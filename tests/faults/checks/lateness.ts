import { encodeRunId } from '@carillon/shared';
import type { Facts, RunFact } from './facts.js';

/** How late runs reached their target, in milliseconds after they were due. */
export interface Lateness {
  /** The lateness of runs that were due during the fault. */
  during: number[];
  /** The lateness of runs that were due after the fault had ended. */
  after: number[];
}

/** The span of time that a fault lasted. */
export interface Span {
  fromAt: number;
  untilAt: number;
}

/**
 * Measures the lateness of each run by its first request, or by the start that the worker has recorded if the target is
 * a handler, because a handler sends no request. Runs that did not start, and runs that were due before the fault, are
 * left out.
 */
export function measureLateness(facts: Facts, { fromAt, untilAt }: Span): Lateness {
  const firstAts = new Map<string, number>();
  for (const { runId, at } of facts.deliveries) {
    if (at < (firstAts.get(runId) ?? Number.POSITIVE_INFINITY)) firstAts.set(runId, at);
  }
  const lateness: Lateness = { during: [], after: [] };
  for (const run of [...facts.runs.values()].flat()) {
    const firstAt = firstAts.get(encodeRunId(run));
    const lateMs = firstAt === undefined ? latenessOfHandler(facts, run) : firstAt - run.dueAt;
    if (lateMs === null || run.origin !== 'rule' || run.dueAt < fromAt) continue;
    (run.dueAt <= untilAt ? lateness.during : lateness.after).push(Math.max(0, lateMs));
  }
  return lateness;
}

function latenessOfHandler(
  { definitions }: Facts,
  { scheduleId, version, latenessMs }: RunFact,
): number | null {
  const definition = definitions.get(scheduleId)?.find((each) => each.version === version);
  return definition?.plan.target.type === 'handler' ? latenessMs : null;
}
