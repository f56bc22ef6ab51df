import { type KeyOwner, listDefinitions, readCalendars, type ScheduleView } from '@carillon/db';
import {
  calendarsNamedBy,
  DAY_MS,
  dueOccurrenceAfter,
  LATEST_AT,
  nextAfterEdit,
  parseDuration,
  type SimulatedSchedule,
  type Simulation,
  type SimulationInput,
  SimulationTooLarge,
  simulate,
} from '@carillon/shared';
import type { z } from 'zod';
import type { ApiContext } from '../context.js';
import { HttpProblem, invalid } from '../http/problem.js';
import { draftRequest, toScheduleView } from './draft-request.js';
import { mergePatch } from './merge-patch.js';
import { resolveTemplate } from './resolve-template.js';

type Input = z.output<typeof SimulationInput>;
type Context = Pick<ApiContext, 'pool' | 'clock' | 'defaults' | 'secrets'>;
const MAX_RANGE_MS = 366 * DAY_MS;
/** Maximum number of the project's schedules that one simulation reads. */
const MAX_SCHEDULES = 20_000;
/**
 * Maximum number of steps of a simulation: claims, attempts and ends of runs. This many take about three seconds of CPU
 * time; other requests run in between.
 */
const MAX_STEPS = 200_000;
/**
 * Maximum number of pairs of an edit and a schedule. For each pair, the edit is merged and validated like a PATCH,
 * which takes CPU time.
 */
const MAX_SIMULATED_EDITS = 20_000;
/** How long the circuit breaker of a receiver stays open at first: the default of `CIRCUIT_OPEN_MS`. */
const CIRCUIT_OPEN_MS = 10_000;
/** Number of schedules that are prepared in one turn of the event loop. Other requests run between two turns. */
const SCHEDULES_PER_TURN = 50;

export interface SimulationRun {
  fromAt: number;
  toAt: number;
  schedules: SimulatedSchedule[];
  simulation: Simulation;
}

/** Simulates what a request asks for. Reads schedules and calendars, and writes nothing. */
export async function runSimulation(
  context: Context,
  caller: KeyOwner,
  input: Input,
): Promise<SimulationRun> {
  const nowAt = Math.floor(context.clock.now());
  const fromAt = input.from ?? nowAt;
  const toAt = input.to ?? Math.min(fromAt + DAY_MS, LATEST_AT);
  if (toAt <= fromAt)
    throw invalid([{ field: 'to', message: 'is not after `from`; expected a later instant' }]);
  if (toAt - fromAt > MAX_RANGE_MS)
    throw invalid([{ field: 'to', message: 'is more than 366 days after `from`; choose a shorter range' }]);
  const views = await gather(context, caller, { ...input, fromAt });
  const schedules = await prepare(context, caller, {
    views,
    edits: input.edits,
    fromAt,
    isNow: input.from === undefined,
  });
  const steps = simulate(schedules, {
    fromAt,
    toAt,
    outages: input.outages.map(({ from, to, receiver }) => ({ fromAt: from, toAt: to, receiver })),
    runMs: parseDuration(input.runTime) ?? 0,
    circuitOpenMs: CIRCUIT_OPEN_MS,
    maxSteps: MAX_STEPS,
  });
  return { fromAt, toAt, schedules, simulation: await finish(steps) };
}

/** Runs the simulation to its end, and lets other requests run in between. */
async function finish(steps: Generator<void, Simulation>): Promise<Simulation> {
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      await new Promise(setImmediate);
    }
  } catch (error) {
    if (!(error instanceof SimulationTooLarge)) throw error;
    const reached = new Date(error.reachedAt).toISOString();
    const message = `the simulation takes more than ${error.maxSteps} steps and got no further than ${reached}; choose a shorter range or fewer schedules`;
    throw invalid([{ field: 'to', message }]);
  }
}

async function gather(
  context: Context,
  caller: KeyOwner,
  { schedules: given, filter, fromAt }: Input & { fromAt: number },
): Promise<ScheduleView[]> {
  const { projectId } = caller;
  const calendars = await readCalendars(context.pool, projectId, calendarsNamedBy(given ?? []));
  // A schedule in the request counts as created at the beginning of the simulation.
  const clock = { now: () => fromAt } as ApiContext['clock'];
  const drafted: ScheduleView[] = [];
  for (const [index, request] of (given ?? []).entries()) {
    const schedule = await resolveTemplate(context.pool, caller, request);
    const named = { id: `given-${index + 1}`, ...schedule };
    const draft = draftRequest({ ...context, clock }, caller, named, calendars);
    if (!draft.ok) {
      const inRequest = draft.problems.map(({ field, message }) => ({
        field: `schedules.${index}.${field}`,
        message,
      }));
      throw invalid(inRequest);
    }
    drafted.push(toScheduleView(draft.value, { id: 0, createdAt: fromAt }));
  }
  if (given !== undefined && filter === undefined) return drafted;
  const page = { projectId, filter: filter ?? {}, limit: MAX_SCHEDULES + 1, beforeId: null };
  const stored = await listDefinitions(context.pool, page);
  if (stored.length > MAX_SCHEDULES)
    throw invalid([
      { field: 'filter', message: `matches more than ${MAX_SCHEDULES} schedules; choose a narrower one` },
    ]);
  const givenKeys = new Set(drafted.map(({ key }) => key));
  return [...drafted, ...stored.filter(({ key }) => !givenKeys.has(key))];
}

interface Preparation {
  views: readonly ScheduleView[];
  edits: Input['edits'];
  fromAt: number;
  /**
   * True if the simulation begins now. The next occurrence of a schedule is then the stored one, which may have been
   * rescheduled.
   */
  isNow: boolean;
}

async function prepare(
  context: Context,
  caller: KeyOwner,
  { views, edits, fromAt, isNow }: Preparation,
): Promise<SimulatedSchedule[]> {
  const known = new Set(views.map(({ key }) => key));
  for (const [index, { schedule }] of edits.entries())
    if (schedule !== undefined && !known.has(schedule))
      throw invalid([
        { field: `edits.${index}.schedule`, message: `${schedule} is not among the simulated schedules` },
      ]);
  const merges = edits.reduce((sum, { schedule }) => sum + (schedule === undefined ? views.length : 1), 0);
  if (merges > MAX_SIMULATED_EDITS)
    throw invalid([
      {
        field: 'edits',
        message: `change ${merges} schedules; at most ${MAX_SIMULATED_EDITS} can be simulated`,
      },
    ]);
  const named = views.flatMap(({ timing }) => Object.keys(timing.calendars));
  const inEdits = calendarsNamedBy(edits.map(({ patch }) => patch));
  const calendars =
    edits.length === 0
      ? new Map<string, string[]>()
      : await readCalendars(context.pool, caller.projectId, [...new Set([...named, ...inEdits])]);
  const prepared: SimulatedSchedule[] = [];
  for (const [index, view] of views.entries()) {
    const base = startOf(view, { fromAt, isNow });
    prepared.push(applyEdits(base, edits, { caller, context, calendars, nowAt: fromAt }));
    if (index % SCHEDULES_PER_TURN === SCHEDULES_PER_TURN - 1) await new Promise(setImmediate);
  }
  return prepared;
}

/**
 * The state of a schedule when the simulation begins. If the simulation begins now, the next occurrence is the stored
 * one. Otherwise it is computed from the rule.
 */
function startOf(view: ScheduleView, { fromAt, isNow }: { fromAt: number; isNow: boolean }): ScheduleView {
  const isStored = view.id !== 0;
  if (!isStored || isNow) return view;
  const next = dueOccurrenceAfter(view, fromAt - 1);
  return { ...view, occurrenceAt: next?.occurrenceAt ?? null, nextRunAt: next?.dueAt ?? null };
}

function applyEdits(
  view: ScheduleView,
  edits: Input['edits'],
  base: Omit<Parameters<typeof mergePatch>[1], 'view'>,
): SimulatedSchedule {
  let current = view;
  for (const [index, { schedule, patch }] of edits.entries()) {
    if (schedule !== undefined && schedule !== view.key) continue;
    const { definition } = mergedAt(index, () => mergePatch(patch, { ...base, view: current }));
    const { timing, plan } = definition;
    const next = nextAfterEdit({ ...current, dueAt: current.nextRunAt, nowAt: base.nowAt }, definition);
    const nextRunAt = next?.dueAt ?? null;
    current = {
      ...current,
      rule: definition.rule,
      timing,
      plan,
      occurrenceAt: next?.occurrenceAt ?? null,
      nextRunAt,
    };
  }
  const { key, timing, plan, occurrenceAt, nextRunAt, runsTotal, status, pausedUntil } = current;
  const next = occurrenceAt === null || nextRunAt === null ? null : { occurrenceAt, dueAt: nextRunAt };
  return {
    key,
    timing,
    plan,
    next,
    runsTotal,
    isPaused: status === 'paused',
    pausedUntilAt: pausedUntil,
  };
}

/** Merges one edit. Prefixes the fields of a problem with the index of the edit. */
function mergedAt<T>(index: number, merge: () => T): T {
  try {
    return merge();
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.errors.length === 0) throw error;
    const inEdit = error.errors.map(({ field, message }) => ({
      field: `edits.${index}.patch.${field}`,
      message,
    }));
    throw invalid(inEdit);
  }
}
