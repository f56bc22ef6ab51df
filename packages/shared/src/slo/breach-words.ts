import type { BreachKind, RunCounts, WatchedRun } from './judge-slo.js';
import type { Slo } from './slo.js';

/** An instant for people, to the second. */
export const instantInWords = (at: number) =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const UNITS: [number, string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** A duration for people, by its two largest units. */
export function durationInWords(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  let restMs = durationMs;
  const parts: string[] = [];
  for (const [unitMs, name] of UNITS) {
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`);
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

export interface Breach {
  schedule: { key: string; name: string | null };
  kind: BreachKind;
  slo: Slo;
  /** When the breach began. */
  at: number;
  run: WatchedRun | null;
  counts: RunCounts | null;
}

/** The sentence of an alert: what was expected, what happened, and since when the objective is missed. */
export function describeBreach({ schedule, kind, slo, at, run, counts }: Breach): string {
  const { key, name } = schedule;
  const subject = name ? `${name} (${key})` : key;
  return `${subject} ${expectation({ kind, slo, run })}. ${happening({ kind, run, counts })}. Breached since ${instantInWords(at)}.`;
}

function expectation({ kind, slo, run }: Pick<Breach, 'kind' | 'slo' | 'run'>): string {
  const due = run ? `was due at ${instantInWords(run.dueAt)} and` : '';
  const { startWithinMs, endWithinMs, maxDurationMs, successRate } = slo;
  switch (kind) {
    case 'start':
      return `${due} should have started within ${durationInWords(startWithinMs ?? 0)}`;
    case 'end':
      return `${due} should have succeeded within ${durationInWords(endWithinMs ?? 0)}`;
    case 'duration':
      return `${due} may take ${durationInWords(maxDurationMs ?? 0)} from start to end`;
    case 'success_rate': {
      const { percent = 0, last = null, windowMs = null } = successRate ?? {};
      const over =
        last === null
          ? `the runs of the last ${durationInWords(windowMs ?? 0)}`
          : last === 1
            ? 'its last run'
            : `its last ${last} runs`;
      return last === 1
        ? 'should have succeeded in its last run'
        : `should succeed in ${percent}% of ${over}`;
    }
  }
}

function happening({ kind, run, counts }: Pick<Breach, 'kind' | 'run' | 'counts'>): string {
  if (kind === 'success_rate') return ratesInWords(counts);
  if (!run) return 'It did not';
  const why = run.error ? `: ${run.error}` : '';
  const times = run.attempt > 1 ? ` after ${run.attempt} attempts` : '';
  switch (run.status) {
    case 'due':
      return 'No worker has claimed it';
    case 'queued':
      return 'It is queued behind an earlier run';
    case 'running':
      return run.startedAt === null || run.mayBeDeferred
        ? 'It has not started'
        : `It started at ${instantInWords(run.startedAt)} and is still running`;
    case 'retrying':
      return run.attempt === 0
        ? `It waits${run.reason ? `: ${run.reason}` : ''}`
        : `Attempt ${run.attempt} failed${why}; it will be retried`;
    case 'failed':
      return `It failed${times}${why}`;
    case 'skipped':
      return `It was skipped: ${run.reason ?? 'no reason was recorded'}`;
    case 'succeeded':
      return `It started at ${instantInWords(run.startedAt ?? run.dueAt)} and succeeded at ${instantInWords(run.finishedAt ?? run.dueAt)}`;
    case 'cancelled':
      return 'It was cancelled';
  }
}

function ratesInWords(counts: RunCounts | null): string {
  if (!counts?.latestFailure) return 'Too few runs succeeded';
  const { succeeded, failed, latestFailure } = counts;
  const which = `run of ${instantInWords(latestFailure.occurrenceAt)}`;
  const error = latestFailure.error ? `: ${latestFailure.error}` : '';
  const total = succeeded + failed;
  return total === 1
    ? `The ${which} failed${error}`
    : `${failed} of ${total} runs failed, most recently the ${which}${error}`;
}

/** Describes how a breach ended. */
export function describeRecovery({
  kind,
  run,
  at,
}: {
  kind: BreachKind;
  run: WatchedRun | null;
  at: number;
}): string {
  const when = `Recovered at ${instantInWords(at)}`;
  if (!run) return `${when}: enough runs succeed again.`;
  const which = `the run due at ${instantInWords(run.dueAt)}`;
  const lateMs = at - run.dueAt;
  switch (kind) {
    case 'start':
      return `${when}: ${which} started ${durationInWords(Math.max(0, lateMs))} after it was due.`;
    case 'duration':
      return `${when}: ${which} ended after ${durationInWords(Math.max(0, at - (run.startedAt ?? run.dueAt)))}.`;
    default:
      return `${when}: ${which} succeeded ${durationInWords(Math.max(0, lateMs))} after it was due.`;
  }
}
