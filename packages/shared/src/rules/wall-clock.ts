import { DAY_SECONDS } from './calendar.js';
import type { InstantSet } from './instant-set.js';
import type { LocalSet } from './local-set.js';
import type { DstPolicy } from './timing.js';
import type { Stretch, Zone } from './zone.js';

/**
 * For rules that name no hour (every quarter of an hour, FREQ=HOURLY): fire whenever the clock reads a matching time. Through a
 * change of clocks they keep their real pace, with no hour missing, doubled or bunched up.
 */
export const BY_THE_CLOCK: DstPolicy = { gap: 'skip', overlap: 'both' };

/** The one place where readings of a local clock become instants, and where DST gaps and overlaps are decided. */
export class WallClockInstants implements InstantSet {
  constructor(
    readonly zone: Zone,
    private readonly readings: LocalSet,
    readonly policy: DstPolicy,
  ) {}

  next(afterAt: number, untilAt: number): number | null {
    const firstSec = Math.floor(afterAt / 1000) + 1;
    const lastSec = Math.floor(untilAt / 1000);
    let stretch: Stretch | null = firstSec <= lastSec ? this.zone.stretchAt(firstSec) : null;
    while (stretch !== null && stretch.fromSec <= lastSec) {
      if (stretch.fromSec >= firstSec && this.gapFires(stretch)) return stretch.fromSec * 1000;
      const { from, before } = this.readingsOf(stretch, firstSec, lastSec);
      const reading = from < before ? this.readings.next(from, before) : null;
      if (reading !== null) return (reading - stretch.offset) * 1000;
      stretch = this.stretchWorthAsking(stretch, lastSec);
    }
    return null;
  }

  count(afterAt: number, untilAt: number): number {
    const firstSec = Math.floor(afterAt / 1000) + 1;
    const lastSec = Math.floor(untilAt / 1000);
    if (firstSec > lastSec) return 0;
    let total = 0;
    let stretch = this.zone.stretchAt(firstSec);
    while (stretch.fromSec <= lastSec) {
      const { from, before } = this.readingsOf(stretch, firstSec, lastSec);
      if (from < before) total += this.readings.count(from, before);
      if (stretch.fromSec >= firstSec && this.gapFires(stretch)) {
        // A reading at the very end of the gap is the same instant, already counted.
        const end = stretch.fromSec + stretch.offset;
        if (this.readings.count(end, end + 1) === 0) total += 1;
      }
      stretch = this.zone.stretchAt(stretch.toSec);
    }
    return total;
  }

  /** The readings that do not exist because the clock goes forward at this very instant. */
  readingsLostAt(sec: number): { first: number; last: number } | null {
    const { fromSec, offset, offsetBefore } = this.zone.stretchAt(sec);
    if (sec !== fromSec || offsetBefore >= offset) return null;
    const first = this.readings.next(fromSec + offsetBefore, fromSec + offset);
    if (first === null) return null;
    let last = first;
    // A gap has at most a few thousand seconds, and this is asked for show only.
    for (
      let next: number | null = first;
      next !== null;
      next = this.readings.next(next + 1, fromSec + offset)
    ) {
      last = next;
    }
    return { first, last };
  }

  /** Several readings that do not exist become one instant, the first after the gap. */
  private gapFires({ fromSec, offset, offsetBefore }: Stretch): boolean {
    if (this.policy.gap !== 'shift' || offsetBefore >= offset) return false;
    return this.readings.next(fromSec + offsetBefore, fromSec + offset) !== null;
  }

  /** The readings that count in this stretch, as far as it lies in [firstSec, lastSec]. */
  private readingsOf(stretch: Stretch, firstSec: number, lastSec: number): { from: number; before: number } {
    const { fromSec, toSec, offset, offsetBefore, offsetAfter } = stretch;
    const { overlap } = this.policy;
    // After the clock went back it reads again what it read before; before it goes back, what it will read again.
    const repeatedTo = overlap === 'first' ? fromSec + Math.max(offset, offsetBefore) : fromSec + offset;
    const repeatedFrom = overlap === 'second' ? toSec + Math.min(offset, offsetAfter) : toSec + offset;
    return {
      from: Math.max(repeatedTo, firstSec + offset),
      before: Math.min(repeatedFrom, lastSec + 1 + offset),
    };
  }

  /** The next stretch, or a later one when the rule is silent for long: a rare rule need not look at every year. */
  private stretchWorthAsking(stretch: Stretch, lastSec: number): Stretch | null {
    if (stretch.toSec > lastSec) return null;
    const lowest = stretch.toSec + Math.min(stretch.offset, stretch.offsetAfter);
    const reading = this.readings.next(lowest, lastSec + DAY_SECONDS);
    if (reading === null) return null;
    // No zone is a day from UTC: the instant of this reading, shifted or not, is later than that.
    return this.zone.stretchAt(Math.max(stretch.toSec, reading - DAY_SECONDS));
  }
}

class OneReading implements LocalSet {
  constructor(private readonly reading: number) {}

  next(from: number, before: number): number | null {
    return from <= this.reading && this.reading < before ? this.reading : null;
  }

  count(from: number, before: number): number {
    return this.next(from, before) === null ? 0 : 1;
  }
}

/** The instants at which one reading fires: none, one or two, by the policy. */
export function instantsOfReading(zone: Zone, reading: number, policy: DstPolicy): number[] {
  const set = new WallClockInstants(zone, new OneReading(reading), policy);
  const untilAt = (reading + DAY_SECONDS) * 1000;
  const found: number[] = [];
  let at = set.next((reading - DAY_SECONDS) * 1000, untilAt);
  while (at !== null) {
    found.push(at);
    at = set.next(at, untilAt);
  }
  return found;
}

/** The first instant at which the clock reads this or later. */
export function firstInstantOfReading(zone: Zone, reading: number): number {
  const [at] = instantsOfReading(zone, reading, { gap: 'shift', overlap: 'first' });
  if (at === undefined) throw new RangeError(`no instant for the reading ${reading}`);
  return at;
}

/** Whether the clock's reading at an instant is one that happens twice, and which of the two this is. */
export function passAt(zone: Zone, sec: number): 'first' | 'second' | null {
  const { fromSec, toSec, offset, offsetBefore, offsetAfter } = zone.stretchAt(sec);
  const reading = sec + offset;
  if (reading >= toSec + offsetAfter) return 'first';
  return reading < fromSec + offsetBefore ? 'second' : null;
}
