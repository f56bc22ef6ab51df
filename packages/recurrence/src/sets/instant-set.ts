import { lowerBound } from './times-of-day.js';

/** A set of instants, in epoch milliseconds. Both methods answer for the range (afterAt, untilAt]. */
export interface InstantSet {
  next(afterAt: number, untilAt: number): number | null;
  count(afterAt: number, untilAt: number): number;
}

/** A list of instants, ascending. */
export class ListedInstants implements InstantSet {
  constructor(private readonly instants: readonly number[]) {}

  next(afterAt: number, untilAt: number): number | null {
    const nextAt = this.instants[lowerBound(this.instants, afterAt + 1)];
    return nextAt !== undefined && nextAt <= untilAt ? nextAt : null;
  }

  count(afterAt: number, untilAt: number): number {
    return Math.max(0, lowerBound(this.instants, untilAt + 1) - lowerBound(this.instants, afterAt + 1));
  }
}

/** anchor + k × every, for each k from `firstK` on. Each instant is computed from the anchor, so nothing drifts. */
export class EveryInstants implements InstantSet {
  constructor(
    private readonly anchorAt: number,
    private readonly everyMs: number,
    private readonly firstK: number,
  ) {}

  next(afterAt: number, untilAt: number): number | null {
    const at = this.anchorAt + (this.lastKUntil(afterAt) + 1) * this.everyMs;
    return at <= untilAt ? at : null;
  }

  count(afterAt: number, untilAt: number): number {
    return Math.max(0, this.lastKUntil(untilAt) - this.lastKUntil(afterAt));
  }

  /** The k of the last instant at or before `at`; firstK - 1 if there is none. */
  private lastKUntil(at: number): number {
    return Math.max(this.firstK - 1, Math.floor((at - this.anchorAt) / this.everyMs));
  }
}

export class BoundedInstants implements InstantSet {
  /** Both bounds are inclusive. */
  constructor(
    private readonly set: InstantSet,
    private readonly fromAt: number,
    private readonly toAt: number,
  ) {}

  next(afterAt: number, untilAt: number): number | null {
    return this.set.next(Math.max(afterAt, this.fromAt - 1), Math.min(untilAt, this.toAt));
  }

  count(afterAt: number, untilAt: number): number {
    const after = Math.max(afterAt, this.fromAt - 1);
    const until = Math.min(untilAt, this.toAt);
    return after < until ? this.set.count(after, until) : 0;
  }
}

/** A set with a few instants added (RDATE) and a few removed (EXDATE). An instant in both lists is removed. */
export class AmendedInstants implements InstantSet {
  private readonly added: ListedInstants;
  private readonly removed: ReadonlySet<number>;
  private readonly removedFromSet: ListedInstants;

  constructor(
    private readonly set: InstantSet,
    added: readonly number[],
    removed: readonly number[],
  ) {
    const isInSet = (at: number) => set.next(at - 1, at) === at;
    // The instants are looked up in ascending order, so that a set that caches its latest period computes each period
    // only once.
    const removedInOrder = ascending(removed);
    this.removed = new Set(removedInOrder);
    // `removedFromSet` keeps only instants that the set contains, and `added` only instants that it lacks. So `count`
    // can add and subtract the three counts.
    this.removedFromSet = new ListedInstants(removedInOrder.filter(isInSet));
    this.added = new ListedInstants(ascending(added).filter((at) => !this.removed.has(at) && !isInSet(at)));
  }

  next(afterAt: number, untilAt: number): number | null {
    const extra = this.added.next(afterAt, untilAt);
    let regular = this.set.next(afterAt, extra ?? untilAt);
    while (regular !== null && this.removed.has(regular)) regular = this.set.next(regular, extra ?? untilAt);
    return regular ?? extra;
  }

  count(afterAt: number, untilAt: number): number {
    return (
      this.set.count(afterAt, untilAt) +
      this.added.count(afterAt, untilAt) -
      this.removedFromSet.count(afterAt, untilAt)
    );
  }
}

function ascending(instants: readonly number[]): number[] {
  return [...new Set(instants)].sort((a, b) => a - b);
}

/**
 * The latest instant in (afterAt, untilAt]. It only uses `next`, so that a set needs no method for searching backwards.
 */
export function lastInstant(set: InstantSet, afterAt: number, untilAt: number): number | null {
  let latestAt: number | null = null;
  let emptyAfterAt = untilAt;
  for (let reachMs = 1000; latestAt === null; reachMs *= 8) {
    const fromAt = Math.max(afterAt, untilAt - reachMs);
    latestAt = set.next(fromAt, emptyAfterAt);
    if (latestAt === null) emptyAfterAt = fromAt;
    if (fromAt === afterAt) break;
  }
  if (latestAt === null) return null;
  // `latestAt` is in the set, and (emptyAfterAt, untilAt] holds no instant: bisect between `latestAt` and `emptyAfterAt`.
  while (latestAt < emptyAfterAt) {
    const middleAt: number = Math.floor((latestAt + emptyAfterAt) / 2);
    const later: number | null = set.next(middleAt, emptyAfterAt);
    if (later !== null) latestAt = later;
    else if (middleAt === latestAt) break;
    else emptyAfterAt = middleAt;
  }
  return latestAt;
}

/** The n-th instant after `afterAt`, or null if there are fewer until `untilAt`. It bisects by counting. */
export function nthInstant(set: InstantSet, n: number, afterAt: number, untilAt: number): number | null {
  let lowAt = afterAt;
  let countToLow = 0;
  let highAt = untilAt;
  for (let reachMs = 86_400_000; ; reachMs *= 4) {
    const aheadAt = Math.min(lowAt + reachMs, untilAt);
    const counted = set.count(lowAt, aheadAt);
    if (countToLow + counted >= n) {
      highAt = aheadAt;
      break;
    }
    countToLow += counted;
    lowAt = aheadAt;
    if (aheadAt === untilAt) return null;
  }
  // The n-th instant lies in (lowAt, highAt].
  while (highAt - lowAt > 1) {
    const middleAt = Math.floor((lowAt + highAt) / 2);
    const counted = set.count(lowAt, middleAt);
    if (countToLow + counted >= n) {
      highAt = middleAt;
    } else {
      countToLow += counted;
      lowAt = middleAt;
    }
  }
  return highAt;
}
