import type { HeldDefinition } from '@carillon/db';
import { isNewInstant, occurrencesInForce } from '@carillon/shared';

/** An occurrence of a rule, and the definition that was in effect at that time. */
export interface RuleOccurrence {
  at: number;
  definition: HeldDefinition;
}

/**
 * Yields the occurrences from `fromAt` to `toAt` in order, each instant once and with the definition that was in effect
 * then. The caller may skip a range that a gap covers: `next(toAt)` continues after `toAt`.
 */
export function* ruleOccurrences(
  definitions: readonly HeldDefinition[],
  range: { fromAt: number; toAt: number },
): Generator<RuleOccurrence, void, number | undefined> {
  const past = pastInstants(definitions, range);
  let doneAt = range.fromAt - 1;
  for (const [index, definition] of definitions.entries()) {
    const walk = occurrencesInForce(definition, definitions[index - 1], range);
    let step = walk.next();
    while (!step.done) {
      const at = step.value;
      while (past[0] && past[0].at <= at) {
        const occurrence = past.shift() as RuleOccurrence;
        if (occurrence.at <= doneAt) continue;
        doneAt = Math.max(occurrence.at, (yield occurrence) ?? 0);
      }
      if (at > doneAt) doneAt = Math.max(at, (yield { at, definition }) ?? 0);
      step = walk.next(doneAt);
    }
  }
}

/**
 * The occurrences of one-shots that an edit has set to an instant before the edit itself, in order. They are collected
 * apart, because the previous rule was still in effect at that instant and may have an occurrence at it too.
 */
function pastInstants(
  definitions: readonly HeldDefinition[],
  range: { fromAt: number; toAt: number },
): RuleOccurrence[] {
  const past: RuleOccurrence[] = [];
  for (const [index, definition] of definitions.entries()) {
    const before = definitions[index - 1];
    if (!before || !isNewInstant(definition, before)) continue;
    for (const at of occurrencesInForce(definition, before, range))
      if (at <= definition.fromAt) past.push({ at, definition });
  }
  return past.sort((a, b) => a.at - b.at);
}
