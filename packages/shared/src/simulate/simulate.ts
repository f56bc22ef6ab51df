import { jitterMs } from '@carillon/recurrence';
import { admitRun, concurrentRuns } from '../admit.js';
import { afterPause } from '../after-pause.js';
import { type DueOccurrence, decideDue, type Stretch } from '../decide-due.js';
import { keepsFailing } from '../keeps-failing.js';
import { closingOf } from '../outcome.js';
import { isCounted } from '../plan.js';
import { AgendaHeap } from './agenda-heap.js';
import { Receivers } from './receivers.js';
import type {
  SimulatedGap,
  SimulatedRun,
  SimulatedSchedule,
  Simulation,
  SimulationOptions,
} from './simulation.js';

/** Thrown if a simulation needs more steps than `maxSteps`. */
export class SimulationTooLarge extends Error {
  constructor(
    readonly maxSteps: number,
    /** The instant that the simulation had reached. */
    readonly reachedAt: number,
  ) {
    super(`the simulation takes more than ${maxSteps} steps`);
  }
}

/** A schedule while it is simulated. */
interface Actor {
  schedule: SimulatedSchedule;
  runsTotal: number;
  started: Set<SimulatedRun>;
  queued: SimulatedRun[];
  /**
   * The ended runs with the latest occurrences, latest first, as many as `pauseAfterFailures` looks at. Skipped and
   * cancelled runs do not count.
   */
  latestEnded: SimulatedRun[];
  lastSuccessAt: number | null;
  isPaused: boolean;
}

type Event = { at: number; rank: number; actor: Actor } & (
  | { kind: 'end'; run: SimulatedRun; isProbe: boolean }
  | { kind: 'resume'; pausedUntilAt: number }
  | { kind: 'due'; occurrence: DueOccurrence }
  | { kind: 'attempt'; run: SimulatedRun }
);

/**
 * The order of events at one instant, as in a worker: first runs end, then pauses end, then due schedules are claimed,
 * and last waiting runs are claimed.
 */
const RANKS = { end: 0, resume: 1, due: 2, attempt: 3 } as const;

const FAILED = {
  kind: 'failed',
  isTransient: true,
  errorCode: 'error',
  error: 'the receiver is down',
} as const;

const SUCCEEDED = { kind: 'succeeded' } as const;

/**
 * The engine adds a random delay to each deferred run. In a simulation the delay is derived from the run, so that the
 * simulation can be repeated.
 */
export const spreadOf = ({
  schedule,
  occurrenceAt,
  deferrals,
}: Pick<SimulatedRun, 'schedule' | 'occurrenceAt' | 'deferrals'>) =>
  jitterMs(`${schedule} ${deferrals + 1}`, occurrenceAt, 1_000) / 1_000;

/** The generator pauses after this many steps, so that its caller can do other work in between. */
const STEPS_PER_PAUSE = 100;

/**
 * Simulates schedules with the functions by which the engine decides: when an occurrence is due, what happens to missed
 * occurrences, whether a run may start while others are open, when a failed attempt is retried, and when a circuit
 * opens. The simulation has no clock and no I/O. Throws SimulationTooLarge beyond `maxSteps`.
 */
export function* simulate(
  schedules: readonly SimulatedSchedule[],
  options: SimulationOptions,
): Generator<void, Simulation> {
  const simulator = new Simulator(schedules, options);
  while (simulator.step()) if (simulator.steps % STEPS_PER_PAUSE === 0) yield;
  return simulator.result();
}

class Simulator {
  steps = 0;
  readonly #events = new AgendaHeap<Event>();
  readonly #actors = new Map<string, Actor>();
  readonly #runs: SimulatedRun[] = [];
  readonly #gaps: SimulatedGap[] = [];
  readonly #receivers: Receivers;
  readonly #engineOutages: readonly { fromAt: number; toAt: number }[];

  constructor(
    schedules: readonly SimulatedSchedule[],
    private readonly options: SimulationOptions,
  ) {
    this.#receivers = new Receivers(options);
    this.#engineOutages = options.outages
      .filter(({ receiver }) => receiver === null)
      .toSorted((a, b) => a.fromAt - b.fromAt);
    for (const schedule of schedules) {
      const actor: Actor = {
        schedule,
        runsTotal: schedule.runsTotal,
        started: new Set(),
        queued: [],
        latestEnded: [],
        lastSuccessAt: null,
        isPaused: schedule.isPaused,
      };
      this.#actors.set(schedule.key, actor);
      const { next, isPaused, pausedUntilAt } = schedule;
      if (!isPaused && next) this.#addDue(actor, next, options.fromAt);
      if (isPaused && pausedUntilAt !== null) this.#addResume(actor, pausedUntilAt);
    }
  }

  /** Handles the next event; returns false if there is none before the end. */
  step(): boolean {
    const { nextAt } = this.#events;
    if (nextAt === null || nextAt > this.options.toAt) return false;
    if (this.steps >= this.options.maxSteps) throw new SimulationTooLarge(this.options.maxSteps, nextAt);
    const event = this.#events.take() as Event;
    this.steps++;
    if (event.kind === 'due') this.#claim(event.actor, event.occurrence, event.at);
    else if (event.kind === 'resume') this.#resume(event.actor, event);
    else if (event.kind === 'attempt') this.#attempt(event.actor, event.run, event.at);
    else this.#succeed(event.actor, event.run, event);
    return true;
  }

  result(): Simulation {
    const schedules = [...this.#actors.values()];
    return {
      runs: this.#runs,
      gaps: this.#gaps,
      schedules: schedules.length,
      paused: schedules.filter(({ isPaused }) => isPaused).map(({ schedule }) => schedule.key),
      circuitChanges: this.#receivers.changes,
      steps: this.steps,
    };
  }

  #addDue(actor: Actor, occurrence: DueOccurrence, notBeforeAt: number): void {
    const at = this.#whenUp(Math.max(occurrence.dueAt, notBeforeAt));
    this.#events.add({ kind: 'due', rank: RANKS.due, at, actor, occurrence });
  }

  #addResume(actor: Actor, pausedUntilAt: number): void {
    const at = this.#whenUp(Math.max(pausedUntilAt, this.options.fromAt));
    this.#events.add({ kind: 'resume', rank: RANKS.resume, at, actor, pausedUntilAt });
  }

  #addAttempt(actor: Actor, run: SimulatedRun, at: number): void {
    this.#events.add({ kind: 'attempt', rank: RANKS.attempt, at: this.#whenUp(at), actor, run });
  }

  /** The instant itself, or the end of the engine outage that contains it. */
  #whenUp(at: number): number {
    let upAt = at;
    for (const { fromAt, toAt } of this.#engineOutages) if (fromAt <= upAt && upAt < toAt) upAt = toAt;
    return upAt;
  }

  /** Decides about a due schedule, as the claim of a worker does. */
  #claim(actor: Actor, occurrence: DueOccurrence, nowAt: number): void {
    if (actor.isPaused) return;
    const { key, timing, plan } = actor.schedule;
    const decision = decideDue({ key, timing, plan, ...occurrence, runsTotal: actor.runsTotal }, nowAt);
    if (decision.kind === 'broken') {
      actor.isPaused = true;
      return;
    }
    if (decision.passed) this.#pass(key, decision.passed);
    if (decision.run) this.#admit(actor, decision.run, nowAt);
    if (decision.next) this.#addDue(actor, decision.next, nowAt);
  }

  /** Ends the pause that a schedule had at the beginning. No run of it is open, because none has started. */
  #resume(actor: Actor, { at, pausedUntilAt }: { at: number; pausedUntilAt: number }): void {
    const { key, next: pending } = actor.schedule;
    actor.isPaused = false;
    if (!pending) return;
    const end = { untilAt: pausedUntilAt, reason: 'paused' };
    const { next, passed } = afterPause({ ...actor.schedule, ...pending }, end);
    if (passed) this.#pass(key, passed);
    if (next) this.#addDue(actor, next, at);
  }

  #pass(schedule: string, { fromAt, toAt, count, reasonCode, reason }: Stretch): void {
    this.#gaps.push({ schedule, fromAt, toAt, count, reasonCode, reason });
  }

  #admit(actor: Actor, occurrence: DueOccurrence, nowAt: number): void {
    const { key, plan } = actor.schedule;
    const run: SimulatedRun = {
      schedule: key,
      ...occurrence,
      startedAt: null,
      endedAt: null,
      status: 'open',
      reasonCode: null,
      isCaughtUp: nowAt - occurrence.dueAt > plan.misfire.graceMs,
      wasQueued: false,
      attempts: 0,
      deferrals: 0,
    };
    this.#runs.push(run);
    const open = { started: actor.started.size, queued: actor.queued.length };
    const admission = isCounted(plan)
      ? admitRun(plan, open, this.#isDependencyMet(actor, nowAt))
      : ({ kind: 'start' } as const);
    if (admission.kind === 'skip') {
      Object.assign(run, { status: 'skipped', reasonCode: admission.reasonCode, endedAt: nowAt });
      return;
    }
    actor.runsTotal++;
    if (admission.kind === 'queue') {
      run.wasQueued = true;
      actor.queued.push(run);
      return;
    }
    if (admission.kind === 'replace') this.#cancelOpen(actor, nowAt);
    actor.started.add(run);
    this.#attempt(actor, run, nowAt);
  }

  /**
   * A dependency on a schedule outside the simulation is taken as met. A schedule inside it counts as having succeeded
   * at the beginning of the simulation.
   */
  #isDependencyMet({ schedule: { plan } }: Actor, nowAt: number): boolean {
    const other = plan.dependsOn ? this.#actors.get(plan.dependsOn.schedule) : undefined;
    if (!plan.dependsOn || !other) return true;
    return (other.lastSuccessAt ?? this.options.fromAt) >= nowAt - plan.dependsOn.withinMs;
  }

  #cancelOpen(actor: Actor, nowAt: number): void {
    for (const run of [...actor.started, ...actor.queued])
      Object.assign(run, { status: 'cancelled', reasonCode: 'overlap', endedAt: nowAt });
    actor.started.clear();
    actor.queued.length = 0;
  }

  #attempt(actor: Actor, run: SimulatedRun, nowAt: number): void {
    // The engine holds the waiting runs of a paused schedule.
    if (run.status !== 'open' || actor.isPaused) return;
    const { plan } = actor.schedule;
    const passage = this.#receivers.ask(plan.target, nowAt, () => spreadOf(run));
    if (passage.kind === 'refused') {
      const closing = closingOf(passage.outcome, { retry: plan.retry, attempt: run.attempts, random: 0 });
      if (closing.status === 'retrying') {
        run.deferrals++;
        this.#addAttempt(actor, run, nowAt + closing.retryInMs);
      } else this.#fail(actor, run, { nowAt, reasonCode: 'circuit_open' });
      return;
    }
    const { isProbe, isDown } = passage;
    run.attempts++;
    run.startedAt ??= nowAt;
    if (!isDown) {
      const at = nowAt + this.options.runMs;
      this.#events.add({ kind: 'end', rank: RANKS.end, at, actor, run, isProbe });
      return;
    }
    this.#receivers.end(plan.target, FAILED, { isProbe, now: nowAt });
    const closing = closingOf(FAILED, { retry: plan.retry, attempt: run.attempts, random: 0 });
    if (closing.status === 'retrying') this.#addAttempt(actor, run, nowAt + closing.retryInMs);
    else this.#fail(actor, run, { nowAt, reasonCode: 'receiver_down' });
  }

  #succeed(actor: Actor, run: SimulatedRun, { at, isProbe }: { at: number; isProbe: boolean }): void {
    this.#receivers.end(actor.schedule.plan.target, SUCCEEDED, { isProbe, now: at });
    if (run.status !== 'open') return;
    Object.assign(run, { status: 'succeeded', endedAt: at });
    this.#noteEnd(actor, run);
    actor.lastSuccessAt = at;
    this.#close(actor, run, at);
  }

  #fail(actor: Actor, run: SimulatedRun, { nowAt, reasonCode }: { nowAt: number; reasonCode: string }): void {
    Object.assign(run, { status: 'failed', reasonCode, endedAt: nowAt });
    this.#noteEnd(actor, run);
    const { pauseAfterFailures } = actor.schedule.plan;
    if (pauseAfterFailures !== null && keepsFailing(actor.latestEnded, pauseAfterFailures))
      actor.isPaused = true;
    this.#close(actor, run, nowAt);
  }

  #noteEnd({ latestEnded, schedule }: Actor, run: SimulatedRun): void {
    const { pauseAfterFailures } = schedule.plan;
    if (pauseAfterFailures === null) return;
    latestEnded.push(run);
    latestEnded.sort((a, b) => b.occurrenceAt - a.occurrenceAt);
    latestEnded.splice(pauseAfterFailures);
  }

  /** Removes a run that has ended from the open runs, and starts as many queued runs as the policies allow. */
  #close(actor: Actor, run: SimulatedRun, nowAt: number): void {
    actor.started.delete(run);
    if (actor.isPaused) return;
    while (actor.queued.length > 0 && actor.started.size < concurrentRuns(actor.schedule.plan)) {
      const next = actor.queued.shift() as SimulatedRun;
      actor.started.add(next);
      this.#addAttempt(actor, next, nowAt);
    }
  }
}
