import { SECOND_MS } from '../durations.js';
import type { MisfirePolicy, OverlapPolicy, Plan } from '../plan.js';
import type { SimulatedRun, SimulatedSchedule, Simulation } from './simulation.js';

/** The outcome of the occurrences of some schedules, in numbers. */
export interface SimulationFigures {
  schedules: number;
  /** All occurrences of the rules: runs and skipped occurrences. */
  occurrences: number;
  /** Runs that started. */
  runs: number;
  /** Runs that were claimed later than the grace of their misfire policy allows. */
  caughtUp: number;
  /** Runs that waited for an earlier run of their schedule. */
  queued: number;
  /** Runs that an open circuit deferred. */
  deferred: number;
  /** Runs that took more than one attempt. */
  retried: number;
  failed: number;
  cancelled: number;
  /** Occurrences that did not run, by reason. */
  skipped: Record<string, number>;
}

export interface SimulatedSecond {
  at: number;
  perSecond: number;
  /** The schedules with the most starts in this second, at most ten. */
  schedules: { schedule: string; runs: number }[];
}

export interface SimulationSummary {
  total: SimulationFigures;
  byMisfire: Record<MisfirePolicy, SimulationFigures>;
  byOverlap: Record<OverlapPolicy, SimulationFigures>;
  peak: SimulatedSecond | null;
}

const noFigures = (): SimulationFigures => ({
  schedules: 0,
  occurrences: 0,
  runs: 0,
  caughtUp: 0,
  queued: 0,
  deferred: 0,
  retried: 0,
  failed: 0,
  cancelled: 0,
  skipped: {},
});

/** Sums up a simulation in total and by policy, and finds the second with the most starts. */
export function summarize(
  schedules: readonly SimulatedSchedule[],
  { runs, gaps }: Pick<Simulation, 'runs' | 'gaps'>,
): SimulationSummary {
  const plans = new Map<string, Plan>(schedules.map(({ key, plan }) => [key, plan]));
  const total = noFigures();
  const byMisfire = { once: noFigures(), all: noFigures(), skip: noFigures() };
  const byOverlap = { allow: noFigures(), skip: noFigures(), queue: noFigures(), cancel: noFigures() };
  const figuresOf = (key: string) => {
    const plan = plans.get(key);
    return plan ? [total, byMisfire[plan.misfire.policy], byOverlap[plan.overlap]] : [total];
  };
  for (const { key } of schedules) for (const figures of figuresOf(key)) figures.schedules++;
  for (const run of runs) for (const figures of figuresOf(run.schedule)) addRun(figures, run);
  for (const { schedule, reasonCode, count } of gaps)
    for (const figures of figuresOf(schedule)) skip(figures, reasonCode, count);
  return { total, byMisfire, byOverlap, peak: peakOf(runs) };
}

function addRun(figures: SimulationFigures, run: SimulatedRun): void {
  if (run.status === 'skipped') {
    skip(figures, run.reasonCode ?? 'unknown', 1);
    return;
  }
  figures.occurrences++;
  if (run.startedAt !== null) figures.runs++;
  if (run.isCaughtUp) figures.caughtUp++;
  if (run.wasQueued) figures.queued++;
  if (run.deferrals > 0) figures.deferred++;
  if (run.attempts > 1) figures.retried++;
  if (run.status === 'failed') figures.failed++;
  if (run.status === 'cancelled') figures.cancelled++;
}

function skip(figures: SimulationFigures, reasonCode: string, count: number): void {
  figures.occurrences += count;
  figures.skipped[reasonCode] = (figures.skipped[reasonCode] ?? 0) + count;
}
const MAX_SCHEDULES_OF_SECOND = 10;

/** The second with the most starts; the earliest such second if there are several. Null if no run starts. */
export function peakOf(
  runs: readonly Pick<SimulatedRun, 'schedule' | 'startedAt'>[],
): SimulatedSecond | null {
  const perSecond = new Map<number, number>();
  for (const { startedAt } of runs) {
    if (startedAt === null) continue;
    const at = Math.floor(startedAt / SECOND_MS) * SECOND_MS;
    perSecond.set(at, (perSecond.get(at) ?? 0) + 1);
  }
  let peak: [number, number] | null = null;
  for (const [at, count] of perSecond)
    if (!peak || count > peak[1] || (count === peak[1] && at < peak[0])) peak = [at, count];
  if (!peak) return null;
  const [at, count] = peak;
  const bySchedule = new Map<string, number>();
  for (const { schedule, startedAt } of runs) {
    if (startedAt === null || Math.floor(startedAt / SECOND_MS) * SECOND_MS !== at) continue;
    bySchedule.set(schedule, (bySchedule.get(schedule) ?? 0) + 1);
  }
  const most = [...bySchedule].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const schedules = most.slice(0, MAX_SCHEDULES_OF_SECOND).map(([schedule, n]) => ({ schedule, runs: n }));
  return { at, perSecond: count, schedules };
}
