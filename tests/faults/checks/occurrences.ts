import { countOccurrences, nextOccurrence } from '@carillon/shared';
import { type DefinitionFact, type Facts, iso, type ScheduleFact } from './facts.js';

export interface Accounting {
  violations: string[];
  named: number;
  lost: number;
  doubled: number;
}

/** I1: every occurrence that a rule named while it held has one run or lies in one gap, and nothing else has a run. */
export function checkOccurrences(facts: Facts): Accounting {
  const accounting: Accounting = { violations: [], named: 0, lost: 0, doubled: 0 };
  for (const schedule of facts.schedules) accountFor(schedule, facts, accounting);
  return accounting;
}

function accountFor(schedule: ScheduleFact, facts: Facts, accounting: Accounting): void {
  const definitions = facts.definitions.get(schedule.id) ?? [];
  const runs = (facts.runs.get(schedule.id) ?? []).filter(({ origin }) => origin === 'rule');
  const gaps = facts.gaps.get(schedule.id) ?? [];
  const times = new Map<number, number>();
  for (const { occurrenceAt } of runs) times.set(occurrenceAt, (times.get(occurrenceAt) ?? 0) + 1);
  const timesOf = (at: number) =>
    (times.get(at) ?? 0) + gaps.filter(({ fromAt, toAt }) => fromAt <= at && at <= toAt).length;

  for (const definition of definitions) {
    const lastRunAt = runs.at(-1)?.occurrenceAt ?? 0;
    for (const at of namedBy(definition, untilOf(definition, { schedule, lastRunAt, nowAt: facts.nowAt }))) {
      accounting.named++;
      if (timesOf(at) === 0) {
        accounting.lost++;
        accounting.violations.push(`I1 lost: ${schedule.key} ${iso(at)}, version ${definition.version}`);
      } else if (timesOf(at) > 1) {
        accounting.doubled++;
        accounting.violations.push(`I1 accounted for twice: ${schedule.key} ${iso(at)}`);
      }
    }
  }
  for (const at of times.keys()) {
    if (!definitions.some(({ timing }) => nextOccurrence(timing, at - 1) === at)) {
      accounting.violations.push(`I1 a run that no rule named: ${schedule.key} ${iso(at)}`);
    }
  }
  for (const { fromAt, toAt, count } of gaps) {
    const counts = definitions.map(({ timing }) => countOccurrences(timing, fromAt - 1, toAt));
    if (!counts.includes(count)) accounting.violations.push(`I1 a gap that counts wrong: ${schedule.key}`);
  }
}

/** Until when a definition has to be accounted for; what its schedule stands at is still to come. */
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

function* namedBy({ timing, version, fromAt }: DefinitionFact, untilAt: number): Generator<number> {
  // An instant that was past when the schedule was made is run all the same.
  const isPastOnce = version === 1 && timing.rule.kind === 'at';
  let at = nextOccurrence(timing, isPastOnce ? 0 : fromAt);
  while (at !== null && at <= untilAt) {
    yield at;
    at = nextOccurrence(timing, at);
  }
}
