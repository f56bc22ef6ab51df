import type { Definition } from '@carillon/db';
import { nextOccurrences } from '@carillon/shared';

/** An occurrence that a rule named, and the definition that held then. */
export interface Named {
  at: number;
  definition: Definition;
}

/** Asked for at a time: few, because a gap may let us jump ahead. */
const AT_A_TIME = 100;

/**
 * The occurrences from `fromAt` to `toAt`, each under the definition that held then, in order. The caller may jump ahead
 * by passing the instant to go on behind to `next`, as for a stretch that is accounted for as a whole.
 */
export function* named(
  definitions: readonly Definition[],
  { fromAt, toAt }: { fromAt: number; toAt: number },
): Generator<Named, void, number | undefined> {
  for (const definition of definitions) {
    const { timing } = definition;
    const isOneShot = timing.rule.kind === 'at';
    // An `at` that was past when it was made is still what that definition named.
    const beginsAt = isOneShot ? fromAt : Math.max(fromAt, definition.fromAt);
    const endsAt = Math.min(toAt, definition.untilAt === null ? toAt : definition.untilAt - 1);
    let afterAt = beginsAt - 1;
    while (afterAt < endsAt) {
      const found = nextOccurrences(timing, afterAt, isOneShot ? 1 : AT_A_TIME);
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
