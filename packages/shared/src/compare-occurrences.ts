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
 * A difference between the occurrences that a rule named and the runs that exist. A stretch of missing occurrences is
 * one difference.
 */
export interface OccurrenceDifference {
  /**
   * `missing`: the rule named the occurrence, and there is neither a run nor a gap (a record of occurrences that were
   * not run, with the reason). `overdue`: due for more than a minute and not claimed. `unnamed`: there is a run for
   * an occurrence that no definition named.
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
  /** The runs that the rule made in the window, earliest first. */
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

/** Compares the occurrences that a rule named in a window with the runs and gaps that account for them. */
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
 * runs up to it are checked now.
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
 * The last instant up to which the occurrences of a definition must have a run or a gap. The next occurrence
 * (`pendingAt`) is still to come.
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
 * True if a definition named the occurrence of a run while the definition was in force. If a person skips an occurrence
 * or brings it forward, its run is recorded before its time. By that time, another definition may be in force.
 */
function hasNamed(
  definition: ComparedDefinition,
  { occurrenceAt, version, recordedAt }: ComparedRun,
): boolean {
  const { timing, untilAt, fromAt } = definition;
  // The API computes the first occurrence by its own clock, a moment before the row is written. So version 1 may name
  // an occurrence before its `fromAt`.
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
