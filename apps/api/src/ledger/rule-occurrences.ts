import type { HeldDefinition } from '@carillon/db';
import { nextOccurrences } from '@carillon/shared';

/** An occurrence of a rule, and the definition that was in effect at that time. */
export interface RuleOccurrence {
  at: number;
  definition: HeldDefinition;
}

/**
 * Number of occurrences that are computed at a time. It is small, because the caller skips the rest when it meets a
 * gap.
 */
const BATCH_SIZE = 100;

/**
 * Yields the occurrences from `fromAt` to `toAt` in order, each with the definition that was in effect then. The caller
 * may skip a range that a gap covers: `next(toAt)` continues after `toAt`.
 */
export function* ruleOccurrences(
  definitions: readonly HeldDefinition[],
  { fromAt, toAt }: { fromAt: number; toAt: number },
): Generator<RuleOccurrence, void, number | undefined> {
  for (const definition of definitions) {
    const { timing } = definition;
    const isOneShot = timing.rule.kind === 'at';
    // A one-shot may have been created after its instant. Its occurrence still belongs to the definition.
    const beginsAt = isOneShot ? fromAt : Math.max(fromAt, definition.fromAt);
    const endsAt = Math.min(toAt, definition.untilAt === null ? toAt : definition.untilAt - 1);
    let afterAt = beginsAt - 1;
    while (afterAt < endsAt) {
      const found = nextOccurrences(timing, afterAt, isOneShot ? 1 : BATCH_SIZE);
      if (found.length === 0) break;
      for (const at of found) {
        if (at <= afterAt) continue;
        afterAt = at;
        if (at > endsAt) break;
        const jumpTo = yield { at, definition };
        if (jumpTo !== undefined && jumpTo > afterAt) {
          afterAt = jumpTo;
          break;
        }
      }
    }
  }
}
