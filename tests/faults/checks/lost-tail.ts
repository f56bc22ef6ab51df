import { attemptKey, encodeRunId } from '@carillon/shared';
import { CLOCKS } from '../harness/installation.js';
import type { Facts } from './facts.js';
import type { Span } from './lateness.js';

/** The last part of the key of an attempt, which is derived from the epoch (the number of the lease) of its claim. */
const epochPart = (key: string) => key.slice(key.lastIndexOf('-'));

/**
 * Removes requests that the receiver has seen but Postgres does not know, because Postgres has lost their claims with
 * its last transactions. Also checks promise I10: the epoch of a lost claim (the number of its lease) is not issued
 * again.
 */
export function excuseLostClaims(facts: Facts, tail: Span | null): { facts: Facts; violations: string[] } {
  if (!tail) return { facts, violations: [] };
  const attempts = [...facts.attempts.values()].flat();
  const known = new Set(attempts.map((each) => attemptKey(encodeRunId(each), each.number, each.epoch)));
  const epochs = new Set([...known].map(epochPart));
  // A worker does not know that Postgres has lost its claim. It goes on sending the runs of the claim until it notices
  // that its lease no longer exists, at most one lease time later.
  const untilAt = tail.untilAt + CLOCKS.leaseMs;
  const isLost = ({ attemptKey, at }: Facts['deliveries'][number]) =>
    !known.has(attemptKey) && at >= tail.fromAt && at <= untilAt;
  const lost = facts.deliveries.filter(isLost);
  return {
    facts: { ...facts, deliveries: facts.deliveries.filter((delivery) => !isLost(delivery)) },
    violations: lost
      .filter((delivery) => epochs.has(epochPart(delivery.attemptKey)))
      .map(({ attemptKey }) => `I10 an epoch was issued again after its claim was lost: ${attemptKey}`),
  };
}
