import { missingHandler, type Plan } from '../plan.js';
import type { StoryChange } from './story.js';
import { waitForHandler } from './words.js';

const iso = (at: number) => new Date(at).toISOString();

/** The facts about a schedule that explain an occurrence without a run. */
export interface ExplainedSchedule {
  status: 'active' | 'paused' | 'finished' | 'cancelled';
  /** The next occurrence; null if there is none. */
  occurrenceAt: number | null;
  pausedBy: string | null;
  pausedAt: number | null;
  pauseNote: string | null;
  plan: Pick<Plan, 'maxRuns' | 'target'>;
  runsTotal: number;
  /** The latest occurrence that ran. */
  lastRunAt: number | null;
  /** When the schedule was last changed. For a cancelled schedule, this is when it was cancelled. */
  updatedAt: number;
}

interface Explanation {
  status: 'cancelled' | 'skipped' | 'paused' | 'upcoming' | 'due' | 'missing';
  why: string;
}

interface WithoutRun {
  schedule: ExplainedSchedule;
  changes: readonly StoryChange[];
  nowAt: number;
  /** The handlers of all live workers; null if no worker is alive. */
  liveHandlers: ReadonlySet<string> | null;
}

/**
 * Explains in one sentence why an occurrence has neither a run nor a gap (a record of occurrences that were not run).
 * The occurrence must lie within the stored history: older runs have been deleted, so an older occurrence without a run
 * is not missing.
 */
export function explainWithoutRun(
  at: number,
  { schedule, changes, nowAt, liveHandlers }: WithoutRun,
): Explanation {
  const { status, occurrenceAt, pausedBy, pausedAt, pauseNote, updatedAt } = schedule;
  const cancellation = changes.findLast(({ action }) => action === 'schedule.cancelled');
  const cancelledAt = cancellation?.at ?? updatedAt;
  if (status === 'cancelled' && at >= cancelledAt) {
    const by = cancellation ? ` by ${cancellation.actor}` : '';
    return { status: 'cancelled', why: `cancelled: the schedule was cancelled${by} at ${iso(cancelledAt)}` };
  }
  const isPending = occurrenceAt !== null && at >= occurrenceAt;
  if (!isPending && isBeyondTheEnd(at, schedule, nowAt)) {
    const { plan, runsTotal } = schedule;
    const limit = plan.maxRuns === null ? '' : `: it has completed its ${runsTotal} runs`;
    return { status: 'skipped', why: `not run, the schedule is finished${limit}` };
  }
  if (isPending && status === 'paused') {
    const since = pausedAt === null ? '' : ` at ${iso(pausedAt)}`;
    const note = pauseNote ? `, note: ${pauseNote}` : '';
    return { status: 'paused', why: `held: paused by ${pausedBy ?? 'an unknown key'}${since}${note}` };
  }
  if (isPending && at > nowAt) return { status: 'upcoming', why: 'in the future' };
  if (isPending) {
    const missing = missingHandler(schedule.plan, liveHandlers);
    const why = missing === null ? 'due, not claimed by a worker yet' : waitForHandler(missing);
    return { status: 'due', why };
  }
  return { status: 'missing', why: 'missing: the rule named it, and there is neither a run nor a gap' };
}

/**
 * True if the schedule ended before this occurrence, which is not pending. A schedule with `maxRuns` ends at its last
 * run, although its rule yields later occurrences. For any other schedule, only future occurrences lie after the end: a
 * past occurrence without a run is missing.
 */
function isBeyondTheEnd(at: number, { status, plan, lastRunAt }: ExplainedSchedule, nowAt: number): boolean {
  if (status === 'cancelled') return false;
  return at > nowAt || (status === 'finished' && plan.maxRuns !== null && at > (lastRunAt ?? 0));
}
