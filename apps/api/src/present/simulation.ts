import {
  adviseOnHerds,
  formatDuration,
  type HerdAdvice,
  type SimulatedRun,
  type SimulationAnswer,
  summarize,
} from '@carillon/shared';
import type { z } from 'zod';
import type { SimulationRun } from '../schedules/run-simulation.js';
import { iso } from './iso.js';

type Answer = z.infer<typeof SimulationAnswer>;

const MAX_SCHEDULES_NAMED = 100;

const ASSUMPTIONS = [
  'Workers can run everything at once that is due at once, so no run waits for a worker. Jitter, misfire, overlap, retry and circuit breakers decide as in the engine.',
  'While the engine is down, nothing is claimed; runs that are in flight then still end.',
  'A receiver that is down fails each attempt at once. All workers share one circuit breaker for it.',
  'A circuit breaker stays open for 10 seconds at first, the default of CIRCUIT_OPEN_MS.',
  'A pause that has no end lasts to the end of the simulation, also a pause after failures.',
  'No run is open when the simulation begins, and earlier failures do not count towards `pauseAfterFailures`.',
  'Each run that reaches its receiver succeeds after `runTime`. Retries have no random part.',
  'A dependency on a schedule that is not simulated is met. A simulated schedule counts as having succeeded when the simulation begins.',
];

export function presentSimulation(
  { fromAt, toAt, schedules, simulation }: SimulationRun,
  limit: number,
): Answer {
  const { total, byMisfire, byOverlap, peak } = summarize(schedules, simulation);
  return {
    from: iso(fromAt),
    to: iso(toAt),
    total,
    byMisfire,
    byOverlap,
    paused: simulation.paused.length,
    circuitsOpened: simulation.circuitChanges.filter(({ kind }) => kind === 'opened').length,
    circuits: simulation.circuitChanges
      .slice(0, limit)
      .map(({ key, at, kind }) => ({ receiver: key, at: iso(at), kind })),
    peak: peak && {
      at: iso(peak.at),
      perSecond: peak.perSecond,
      schedules: peak.schedules.map(({ schedule, runs }) => ({ id: schedule, runs })),
    },
    advice: adviseOnHerds(schedules, simulation.runs).map(presentAdvice),
    gaps: simulation.gaps.slice(0, limit).map(({ fromAt: from, toAt: to, ...gap }) => ({
      ...gap,
      from: iso(from),
      to: iso(to),
    })),
    runs: worthShowing(simulation.runs, limit).map(presentRun),
    steps: simulation.steps,
    assumptions: ASSUMPTIONS,
  };
}

/**
 * Picks the runs to show. Runs that did not simply succeed at their time come first, because a reader looks for them.
 */
function worthShowing(runs: readonly SimulatedRun[], limit: number): readonly SimulatedRun[] {
  const isPlain = ({ status, isCaughtUp, wasQueued, attempts }: SimulatedRun) =>
    status === 'succeeded' && !isCaughtUp && !wasQueued && attempts === 1;
  const others = runs.filter((run) => !isPlain(run)).slice(0, limit);
  return others.length === limit
    ? others
    : [...others, ...runs.filter(isPlain).slice(0, limit - others.length)];
}

function presentRun(run: SimulatedRun): Answer['runs'][number] {
  const { schedule, status, reasonCode, attempts, deferrals } = run;
  return {
    schedule,
    at: iso(run.occurrenceAt),
    dueAt: iso(run.dueAt),
    startedAt: iso(run.startedAt),
    endedAt: iso(run.endedAt),
    status,
    reasonCode,
    caughtUp: run.isCaughtUp,
    queued: run.wasQueued,
    attempts,
    deferrals,
  };
}

function presentAdvice(advice: HerdAdvice): Answer['advice'][number] {
  const { kind, at, perSecond, schedules, jitterMs, perSecondAfter } = advice;
  return {
    kind,
    at: iso(at),
    perSecond,
    schedules: schedules.slice(0, MAX_SCHEDULES_NAMED),
    scheduleCount: schedules.length,
    jitter: jitterMs === null ? null : formatDuration(jitterMs),
    perSecondAfter,
    text: adviceText(advice),
  };
}

function adviceText({ kind, at, perSecond, schedules, jitterMs, perSecondAfter }: HerdAdvice): string {
  const herd = `${perSecond} runs of ${schedules.length} schedules start in the second of ${iso(at)}`;
  if (kind === 'catch_up')
    return `${herd}, left behind by an outage. No jitter spreads them: use misfire policy once or skip, or limit deliveriesPerSecond of the project.`;
  if (jitterMs === null) return `${herd}. Their rules leave no room for jitter: give them different times.`;
  return `${herd}. A jitter of ${formatDuration(jitterMs)} on these schedules leaves at most ${perSecondAfter} in a second.`;
}
