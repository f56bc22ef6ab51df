import { lowerBound } from './times-of-day.js';

/** A set of instants, in epoch milliseconds. Both questions ask about (afterAt, untilAt]. */
export interface InstantSet {
  next(afterAt: number, untilAt: number): number | null;
  count(afterAt: number, untilAt: number): number;
}

/** A few instants, ascending. */
export class ListedInstants implements InstantSet {
  constructor(private readonly instants: readonly number[]) {}

  next(afterAt: number, untilAt: number): number | null {
    const found = this.instants[lowerBound(this.instants, afterAt + 1)];
    return found !== undefined && found <= untilAt ? found : null;
  }

  count(afterAt: number, untilAt: number): number {
    return Math.max(0, lowerBound(this.instants, untilAt + 1) - lowerBound(this.instants, afterAt + 1));
  }
}

/** anchor + k · every, from `firstK` on. No drift: each instant is computed from the anchor. */
export class EveryInstants implements InstantSet {
  constructor(
    private readonly anchorAt: number,
    private readonly everyMs: number,
    private readonly firstK: number,
  ) {}

  next(afterAt: number, untilAt: number): number | null {
    const at = this.anchorAt + (this.stepsTo(afterAt) + 1) * this.everyMs;
    return at <= untilAt ? at : null;
  }

  count(afterAt: number, untilAt: number): number {
    return Math.max(0, this.stepsTo(untilAt) - this.stepsTo(afterAt));
  }

  /** The last k at or before the instant, at least the one before the first. */
  private stepsTo(at: number): number {
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

/** RDATE and EXDATE: a set with a few instants added, then a few taken out. */
export class AmendedInstants implements InstantSet {
  private readonly added: ListedInstants;
  private readonly removed: ReadonlySet<number>;
  private readonly removedList: ListedInstants;

  constructor(
    private readonly set: InstantSet,
    added: readonly number[],
    removed: readonly number[],
  ) {
    const inSet = (at: number) => set.next(at - 1, at) === at;
    const gone = [...new Set(removed)].sort((a, b) => a - b);
    this.removed = new Set(gone);
    // Only what makes a difference is kept, so that counting is adding and subtracting.
    this.removedList = new ListedInstants(gone.filter(inSet));
    const extra = [...new Set(added)].filter((at) => !this.removed.has(at) && !inSet(at));
    this.added = new ListedInstants(extra.sort((a, b) => a - b));
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
      this.removedList.count(afterAt, untilAt)
    );
  }
}

/** The latest instant in (afterAt, untilAt], found forwards: sets need not know how to walk back. */
export function lastInstant(set: InstantSet, afterAt: number, untilAt: number): number | null {
  let found: number | null = null;
  let quietAfterAt = untilAt;
  for (let reachMs = 1000; found === null; reachMs *= 8) {
    const fromAt = Math.max(afterAt, untilAt - reachMs);
    found = set.next(fromAt, quietAfterAt);
    if (found === null) quietAfterAt = fromAt;
    if (fromAt === afterAt) break;
  }
  if (found === null) return null;
  // Something fires at `found`, nothing in (quietAfterAt, untilAt]: halve what lies between.
  while (found < quietAfterAt) {
    const middleAt: number = Math.floor((found + quietAfterAt) / 2);
    const later: number | null = set.next(middleAt, quietAfterAt);
    if (later !== null) found = later;
    else if (middleAt === found) break;
    else quietAfterAt = middleAt;
  }
  return found;
}

/** The instant at which the n-th of the set falls, counted from after `afterAt`; null when there are fewer. */
export function nthInstant(set: InstantSet, n: number, afterAt: number, untilAt: number): number | null {
  let lowAt = afterAt;
  let before = 0;
  let highAt = untilAt;
  for (let reachMs = 86_400_000; ; reachMs *= 4) {
    const aheadAt = Math.min(lowAt + reachMs, untilAt);
    const counted = set.count(lowAt, aheadAt);
    if (before + counted >= n) {
      highAt = aheadAt;
      break;
    }
    before += counted;
    lowAt = aheadAt;
    if (aheadAt === untilAt) return null;
  }
  // The n-th lies in (lowAt, highAt].
  while (highAt - lowAt > 1) {
    const middleAt = Math.floor((lowAt + highAt) / 2);
    const counted = set.count(lowAt, middleAt);
    if (before + counted >= n) {
      highAt = middleAt;
    } else {
      before += counted;
      lowAt = middleAt;
    }
  }
  return highAt;
}
