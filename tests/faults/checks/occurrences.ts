import { countOccurrences, nextOccurrence } from '@carillon/shared';
import {
  type DefinitionFact,
  type Facts,
  type GapFact,
  iso,
  type RunFact,
  type ScheduleFact,
} from './facts.js';

export interface Accounting {
  violations: string[];
  named: number;
  lost: number;
  doubled: number;
}

/**
 * Checks promise I1: every occurrence that a rule named while the rule was in effect has one run or lies in one gap (a
 * record of occurrences that did not run), and there are no other runs.
 */
export function checkOccurrences(facts: Facts): Accounting {
  const accounting: Accounting = { violations: [], named: 0, lost: 0, doubled: 0 };
  for (const schedule of facts.schedules) accountFor(schedule, facts, accounting);
  return accounting;
}

function accountFor(schedule: ScheduleFact, facts: Facts, accounting: Accounting): void {
  const { key, id, runsTotal } = schedule;
  const definitions = facts.definitions.get(id) ?? [];
  const runs = (facts.runs.get(id) ?? []).filter(({ origin }) => origin === 'rule');
  const gaps = facts.gaps.get(id) ?? [];
  const blame = (what: string) => accounting.violations.push(`I1 ${what}: ${key}`);
  const timesOf = accountedTimes(schedule, facts);
  const lastRunAt = runs.at(-1)?.occurrenceAt ?? 0;

  for (const [index, definition] of definitions.entries()) {
    const untilAt = untilOf(definition, { schedule, lastRunAt, nowAt: facts.nowAt });
    for (const at of namedBy(definition, definitions[index - 1], untilAt)) {
      accounting.named++;
      if (timesOf(at) === 0) {
        accounting.lost++;
        blame(`lost ${iso(at)}, named by version ${definition.version}`);
      } else if (timesOf(at) > 1) {
        accounting.doubled++;
        blame(`${iso(at)} is accounted for twice`);
      }
    }
  }
  for (const run of runs) {
    if (!definitions.some((definition) => hasNamed(definition, run)))
      blame(`the run of ${iso(run.occurrenceAt)} was named by no rule`);
  }
  for (const gap of gaps) {
    const { fromAt, toAt, count, version } = gap;
    const definition = definitions.find((each) => each.version === version);
    if (!definition || countOccurrences(definition.timing, fromAt - 1, toAt) !== count)
      blame(
        `the gap from ${iso(fromAt)} to ${iso(toAt)} counts ${count} occurrences, and its rule another number`,
      );
  }
  const fired = runs.filter(({ status }) => status !== 'skipped').length;
  if (fired !== runsTotal) blame(`${runsTotal} runs are counted, and there are ${fired}`);
}

/** Returns a function that counts how often an occurrence is recorded: as a run, or within a gap. */
export function accountedTimes({ id }: ScheduleFact, facts: Facts): (at: number) => number {
  const times = new Map<number, number>();
  for (const { occurrenceAt, origin } of facts.runs.get(id) ?? []) {
    if (origin === 'rule') times.set(occurrenceAt, (times.get(occurrenceAt) ?? 0) + 1);
  }
  const gaps = facts.gaps.get(id) ?? [];
  const definitions = new Map(facts.definitions.get(id)?.map((each) => [each.version, each]));
  const covers = ({ fromAt, toAt, version }: GapFact, at: number) => {
    const definition = fromAt <= at && at <= toAt ? definitions.get(version) : undefined;
    return definition !== undefined && isNamed(definition, at);
  };
  return (at) => (times.get(at) ?? 0) + gaps.filter((gap) => covers(gap, at)).length;
}

const isNamed = ({ timing }: DefinitionFact, at: number) => nextOccurrence(timing, at - 1) === at;

/**
 * True if a definition named the occurrence of a run while the definition was in effect. A run that was skipped or
 * brought forward is recorded before its occurrence. Then it is enough that the definition was in effect when the run
 * was recorded.
 */
function hasNamed(definition: DefinitionFact, { occurrenceAt, version, recordedAt }: RunFact): boolean {
  const { timing, untilAt } = definition;
  // The first definition may begin a moment after its first occurrence: the API computes the occurrence by its own
  // clock, before Postgres writes the row.
  const hasBegun = definition.version === 1 || timing.rule.kind === 'at' || occurrenceAt > definition.fromAt;
  const wasInTime = untilAt === null || occurrenceAt <= untilAt || recordedAt <= untilAt;
  return definition.version <= version && hasBegun && wasInTime && isNamed(definition, occurrenceAt);
}

/**
 * The instant up to which the occurrences of a definition must have a run or a gap. The occurrence that is on the
 * agenda (the next one) is still to come.
 */
function untilOf(
  { untilAt, plan }: DefinitionFact,
  { schedule, lastRunAt, nowAt }: { schedule: ScheduleFact; lastRunAt: number; nowAt: number },
): number {
  const { status, occurrenceAt, updatedAt } = schedule;
  return Math.min(
    nowAt,
    untilAt ?? nowAt,
    status === 'cancelled' ? updatedAt : nowAt,
    occurrenceAt === null ? nowAt : occurrenceAt - 1,
    status === 'finished' && plan.maxRuns !== null ? lastRunAt : nowAt,
  );
}

/** The occurrences that a definition names after it has taken effect. */
export function* namedBy(
  { timing, fromAt }: DefinitionFact,
  before: DefinitionFact | undefined,
  untilAt: number,
): Generator<number> {
  // If an edit turns a schedule into a one-shot at a new instant, that instant runs even if it is in the past.
  const isNewInstant =
    timing.rule.kind === 'at' && JSON.stringify(timing.rule) !== JSON.stringify(before?.timing.rule);
  let at = nextOccurrence(timing, isNewInstant ? Number.NEGATIVE_INFINITY : fromAt);
  while (at !== null && at <= untilAt) {
    yield at;
    at = nextOccurrence(timing, at);
  }
}
