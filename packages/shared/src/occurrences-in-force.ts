import { nextOccurrences, type Timing } from '@carillon/recurrence';

/** A rule and the time during which it was in force. */
export interface RuleInForce {
  timing: Timing;
  /** Exclusive: an occurrence at the instant of an edit still belongs to the rule before the edit. */
  fromAt: number;
  /** Inclusive; null for the rule that is in force now. */
  untilAt: number | null;
}

/** Occurrences are computed in batches of this size. It is small, because the caller may skip the rest of a batch. */
const OCCURRENCES_PER_BATCH = 100;

/**
 * True if an edit set a one-shot to another instant. `before` is the rule before the edit. The new instant runs even if
 * it lies before the edit, so the search for occurrences must not begin at the edit.
 */
export const isNewInstant = ({ timing }: RuleInForce, before: RuleInForce | undefined): boolean =>
  timing.rule.kind === 'at' && JSON.stringify(timing.rule) !== JSON.stringify(before?.timing.rule);

/**
 * Yields the occurrences of a rule in a range (both ends included) while the rule was in force. With `next(at)`, the
 * caller skips the occurrences up to `at`, such as those of a gap.
 */
export function* occurrencesInForce(
  rule: RuleInForce,
  before: RuleInForce | undefined,
  range: { fromAt: number; toAt: number },
): Generator<number, void, number | undefined> {
  const { timing, fromAt, untilAt } = rule;
  const toAt = Math.min(range.toAt, untilAt ?? range.toAt);
  let afterAt = isNewInstant(rule, before) ? range.fromAt - 1 : Math.max(range.fromAt - 1, fromAt);
  while (afterAt < toAt) {
    const batch = nextOccurrences(timing, afterAt, timing.rule.kind === 'at' ? 1 : OCCURRENCES_PER_BATCH);
    if (batch.length === 0) return;
    for (const at of batch) {
      if (at <= afterAt) continue;
      if (at > toAt) return;
      afterAt = at;
      const jumpTo = yield at;
      if (jumpTo !== undefined && jumpTo > afterAt) {
        afterAt = jumpTo;
        break;
      }
    }
  }
}
