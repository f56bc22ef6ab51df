import type { RunView } from '@carillon/db';
import type { Plan } from '@carillon/shared';

/** What became of a run, and why, in words. */
export function whyOf(run: RunView, plan: Plan | null): string {
  switch (run.status) {
    case 'skipped':
      return `skipped: ${run.reason ?? 'no reason was recorded'}`;
    case 'cancelled':
      return `cancelled: ${run.reason ?? 'no reason was recorded'}`;
    case 'queued':
      return run.nextAttemptAt ? 'about to start' : 'waits for its turn';
    case 'running':
      return `${lateness(run, plan)}, under way${attemptOf(run)}`;
    case 'retrying':
      return run.nextAttemptAt
        ? `attempt ${run.attempt} failed (${run.error ?? 'no reason given'}); tries again at ${run.nextAttemptAt.toISOString()}`
        : `attempt ${run.attempt} failed (${run.error ?? 'no reason given'}); held by a pause`;
    case 'succeeded':
      return `${lateness(run, plan)}${run.attempt > 1 ? `, succeeded at attempt ${run.attempt}` : ''}${again(run)}`;
    case 'failed':
      return `${lateness(run, plan)}, failed${attemptsOf(run)}: ${run.error ?? 'no reason given'}${again(run)}`;
  }
}

function lateness(run: RunView, plan: Plan | null): string {
  if (run.origin === 'trigger') return 'triggered by hand';
  if (run.origin === 'backfill') return 'backfilled';
  const lateMs = Math.max(0, run.enqueuedAt.getTime() - run.dueAt.getTime());
  if (plan && lateMs > plan.misfire.graceMs) {
    return `missed at its time and run ${inWords(lateMs)} late, by the misfire policy "${plan.misfire.policy}"`;
  }
  return `ran ${inWords(lateMs)} late`;
}

const attemptOf = ({ attempt }: RunView) => (attempt > 1 ? `, attempt ${attempt}` : '');
const attemptsOf = ({ attempt }: RunView) => (attempt > 1 ? ` after ${attempt} attempts` : '');
const again = ({ replays }: RunView) =>
  replays > 0 ? `, replayed ${replays === 1 ? 'once' : `${replays} times`}` : '';

export function inWords(ms: number): string {
  if (ms < 10_000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}
