import { nextOccurrence } from '@carillon/recurrence';
import { occurrencesInForce, type RuleInForce } from './occurrences-in-force.js';

/** A definition and the time during which it was in force. */
export interface ComparedDefinition extends RuleInForce {
  version: number;
  maxRuns: number | null;
}

export interface ComparedSchedule {
  status: 'active' | 'paused' | 'finished' | 'cancelled';
  /** When the schedule was last changed. For a cancelled schedule, this is when it was cancelled. */
  updatedAt: number;
  /** The next occurrence, as the table `agenda` has it. It and all later occurrences are still to come. */
  pendingAt: number | null;
  /** When the next occurrence is due; null while the schedule is paused. */
  pendingDueAt: number | null;
  /** The latest occurrence that ran. */
  lastRunAt: number | null;
}

export interface ComparedRun {
  occurrenceAt: number;
  version: number;
  recordedAt: number;
}

/**
 * A difference between the occurrences of a schedule's rule and the runs that exist. Missing occurrences in a row are
 * one difference.
 */
export interface OccurrenceDifference {
  /**
   * `missing`: the rule yields the occurrence, but there is neither a run nor a gap (a record of occurrences that were
   * not run, with the reason). `overdue`: the occurrence has been due for a minute or more, and no worker has claimed
   * it. `unnamed`: there is a run, but no definition yields its occurrence.
   */
  kind: 'missing' | 'overdue' | 'unnamed';
  fromAt: number;
  toAt: number;
  count: number;
  version: number;
}

export interface Comparison {
  differences: OccurrenceDifference[];
  /** Number of occurrences that were compared. */
  compared: number;
  /** The instant at which the comparison stopped because its budget was used up; null if it is complete. */
  stoppedAt: number | null;
}

export interface ComparisonInput {
  schedule: ComparedSchedule;
  /** Oldest first. */
  definitions: readonly ComparedDefinition[];
  /** The runs of the rule (no manual runs or backfills) in the window, earliest first. */
  runs: readonly ComparedRun[];
  gaps: readonly { fromAt: number; toAt: number }[];
  window: { fromAt: number; toAt: number };
  nowAt: number;
  /** Maximum number of occurrences to compare. */
  budget: number;
}

/**
 * An occurrence counts as overdue only after this time, because a claim takes a moment, and longer on a busy
 * installation.
 */
const OVERDUE_AFTER_MS = 60_000;

/** Compares the occurrences of a schedule in a window, as its definitions yield them, with its runs and gaps. */
export function compareOccurrences(input: ComparisonInput): Comparison {
  const { definitions, runs, gaps, window, budget } = input;
  const ran = new Set(runs.map(({ occurrenceAt }) => occurrenceAt));
  const differences: OccurrenceDifference[] = [];
  let compared = 0;
  let lastOk = true;
  for (const [index, definition] of definitions.entries()) {
    const walk = occurrencesInForce(definition, definitions[index - 1], {
      fromAt: window.fromAt,
      toAt: untilOf(definition, input),
    });
    let step = walk.next();
    lastOk = true;
    while (!step.done) {
      const at = step.value;
      if (compared >= budget) return { ...stopped(input, differences, at - 1), compared };
      const gap = ran.has(at) ? undefined : gaps.find(({ fromAt, toAt }) => fromAt <= at && at <= toAt);
      compared++;
      if (ran.has(at) || gap) lastOk = true;
      else {
        addMissing(differences, { at, version: definition.version, isNew: lastOk });
        lastOk = false;
      }
      step = walk.next(gap?.toAt);
    }
  }
  differences.push(...unnamedRuns(input, window.toAt), ...overdueOf(input));
  return { differences, compared, stoppedAt: null };
}

/**
 * The result of a comparison that stopped early, at `stoppedAt`. The next comparison continues after this instant, so
 * this comparison must check every run up to it.
 */
const stopped = (
  input: ComparisonInput,
  differences: readonly OccurrenceDifference[],
  stoppedAt: number,
) => ({
  differences: [...differences, ...unnamedRuns(input, stoppedAt)],
  stoppedAt,
});

function addMissing(
  differences: OccurrenceDifference[],
  { at, version, isNew }: { at: number; version: number; isNew: boolean },
): void {
  const last = differences.at(-1);
  if (isNew || last?.kind !== 'missing') {
    differences.push({ kind: 'missing', fromAt: at, toAt: at, count: 1, version });
  } else {
    last.toAt = at;
    last.count++;
  }
}

/**
 * The last instant at which an occurrence of the definition must already have a run or lie in a gap. It is before the
 * next occurrence (`pendingAt`), because no worker has claimed that one yet.
 */
function untilOf({ maxRuns }: ComparedDefinition, { schedule, window, nowAt }: ComparisonInput): number {
  const { status, pendingAt, updatedAt, lastRunAt } = schedule;
  return Math.min(
    nowAt,
    window.toAt,
    status === 'cancelled' ? updatedAt : nowAt,
    pendingAt === null ? nowAt : pendingAt - 1,
    status === 'finished' && maxRuns !== null ? (lastRunAt ?? 0) : nowAt,
  );
}

function unnamedRuns({ definitions, runs }: ComparisonInput, untilAt: number): OccurrenceDifference[] {
  return runs
    .filter(({ occurrenceAt }) => occurrenceAt <= untilAt)
    .filter((run) => !definitions.some((definition) => hasNamed(definition, run)))
    .map(({ occurrenceAt, version }) => ({
      kind: 'unnamed',
      fromAt: occurrenceAt,
      toAt: occurrenceAt,
      count: 1,
      version,
    }));
}

/**
 * True if the definition yields the occurrence of the run, and was in force at that instant or when the run was
 * recorded. The run of an occurrence that a person skipped or brought forward is recorded early, and the definition may
 * be replaced before the instant of the occurrence.
 */
function hasNamed(
  definition: ComparedDefinition,
  { occurrenceAt, version, recordedAt }: ComparedRun,
): boolean {
  const { timing, untilAt, fromAt } = definition;
  // The API computes the first occurrence by its own clock, a moment before the row is written. So the first occurrence
  // of version 1 may lie before `fromAt`.
  const hasBegun = definition.version === 1 || timing.rule.kind === 'at' || occurrenceAt > fromAt;
  const wasInTime = untilAt === null || occurrenceAt <= untilAt || recordedAt <= untilAt;
  const isNamed = () => nextOccurrence(timing, occurrenceAt - 1) === occurrenceAt;
  return definition.version <= version && hasBegun && wasInTime && isNamed();
}

function overdueOf({ schedule, definitions, window, nowAt }: ComparisonInput): OccurrenceDifference[] {
  const { pendingAt, pendingDueAt, status } = schedule;
  if (pendingAt === null || pendingDueAt === null || status !== 'active') return [];
  if (pendingAt < window.fromAt || pendingAt > window.toAt || nowAt - pendingDueAt < OVERDUE_AFTER_MS)
    return [];
  const version = definitions.at(-1)?.version ?? 1;
  return [{ kind: 'overdue', fromAt: pendingAt, toAt: pendingAt, count: 1, version }];
}
