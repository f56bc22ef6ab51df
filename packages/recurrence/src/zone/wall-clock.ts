import { DAY_SECONDS } from '../calendar/civil-date.js';
import type { InstantSet } from '../sets/instant-set.js';
import { type LocalSet, SingleReading } from '../sets/local-set.js';
import type { DstPolicy } from '../timing.js';
import type { OffsetSpan, Zone } from './zone.js';

/**
 * The policy of rules that fire in every hour, such as every 15 minutes or FREQ=HOURLY. They fire whenever the local
 * clock shows a matching time. So their pace stays the same if the size of the clock change is a multiple of the
 * interval (every 15 minutes). Otherwise one step is longer or shorter (every 7 minutes).
 */
export const EVERY_HOUR_POLICY: DstPolicy = { gap: 'skip', overlap: 'both' };

/** Turns wall-clock readings into instants. DST gaps and overlaps are resolved here and nowhere else. */
export class WallClockInstants implements InstantSet {
  constructor(
    readonly zone: Zone,
    private readonly readings: LocalSet,
    readonly policy: DstPolicy,
  ) {}

  next(afterAt: number, untilAt: number): number | null {
    const firstSec = Math.floor(afterAt / 1000) + 1;
    const lastSec = Math.floor(untilAt / 1000);
    let span: OffsetSpan | null = firstSec <= lastSec ? this.zone.spanAt(firstSec) : null;
    while (span !== null && span.fromSec <= lastSec) {
      if (span.fromSec >= firstSec && this.gapFires(span)) return span.fromSec * 1000;
      const { from, before } = this.readingsIn(span, firstSec, lastSec);
      const reading = from < before ? this.readings.next(from, before) : null;
      if (reading !== null) return (reading - span.offset) * 1000;
      span = this.nextSpanWithReadings(span, lastSec);
    }
    return null;
  }

  count(afterAt: number, untilAt: number): number {
    const firstSec = Math.floor(afterAt / 1000) + 1;
    const lastSec = Math.floor(untilAt / 1000);
    if (firstSec > lastSec) return 0;
    let total = 0;
    let span = this.zone.spanAt(firstSec);
    while (span.fromSec <= lastSec) {
      const { from, before } = this.readingsIn(span, firstSec, lastSec);
      if (from < before) total += this.readings.count(from, before);
      if (span.fromSec >= firstSec && this.gapFires(span)) {
        // The skipped readings fire at the end of the gap. If the rule also names the reading at the end of the gap,
        // both fire at one instant, which has been counted already.
        const gapEnd = span.fromSec + span.offset;
        if (this.readings.count(gapEnd, gapEnd + 1) === 0) total += 1;
      }
      span = this.zone.spanAt(span.toSec);
    }
    return total;
  }

  /** The first and the last reading of this rule that a DST gap at this second skips; null if there is none. */
  readingsSkippedAt(sec: number): { first: number; last: number } | null {
    const { fromSec, offset, offsetBefore } = this.zone.spanAt(sec);
    if (sec !== fromSec || offsetBefore >= offset) return null;
    const first = this.readings.next(fromSec + offsetBefore, fromSec + offset);
    if (first === null) return null;
    let last = first;
    // The loop is short enough: nearly every gap has 3,600 seconds at most, the longest are a day (Samoa in 2011),
    // and only descriptions ask for this.
    for (
      let next: number | null = first;
      next !== null;
      next = this.readings.next(next + 1, fromSec + offset)
    ) {
      last = next;
    }
    return { first, last };
  }

  /**
   * True if the span begins with a gap that skips readings of this rule and the policy is `shift`. The skipped readings
   * fire once, right after the gap.
   */
  private gapFires({ fromSec, offset, offsetBefore }: OffsetSpan): boolean {
    if (this.policy.gap !== 'shift' || offsetBefore >= offset) return false;
    return this.readings.next(fromSec + offsetBefore, fromSec + offset) !== null;
  }

  /** The range of readings that fire in the part of the span that lies in [firstSec, lastSec]. */
  private readingsIn(span: OffsetSpan, firstSec: number, lastSec: number): { from: number; before: number } {
    const { fromSec, toSec, offset, offsetBefore, offsetAfter } = span;
    const { overlap } = this.policy;
    // An overlap is the end of one span and the start of the next. The policy decides in which of the two spans its
    // readings fire.
    const spanFrom = overlap === 'first' ? fromSec + Math.max(offset, offsetBefore) : fromSec + offset;
    const spanBefore = overlap === 'second' ? toSec + Math.min(offset, offsetAfter) : toSec + offset;
    return {
      from: Math.max(spanFrom, firstSec + offset),
      before: Math.min(spanBefore, lastSec + 1 + offset),
    };
  }

  /** The next span that can contain an occurrence, so that the search for a rare rule skips the years in between. */
  private nextSpanWithReadings(span: OffsetSpan, lastSec: number): OffsetSpan | null {
    if (span.toSec > lastSec) return null;
    const lowest = span.toSec + Math.min(span.offset, span.offsetAfter);
    const reading = this.readings.next(lowest, lastSec + DAY_SECONDS);
    if (reading === null) return null;
    // Every UTC offset is shorter than a day, so the instant of this reading is later than the reading minus one day.
    return this.zone.spanAt(Math.max(span.toSec, reading - DAY_SECONDS));
  }
}

/** The instants at which one reading fires under a policy: none, one or two. */
export function instantsOfReading(zone: Zone, reading: number, policy: DstPolicy): number[] {
  const set = new WallClockInstants(zone, new SingleReading(reading), policy);
  const untilAt = (reading + DAY_SECONDS) * 1000;
  const instants: number[] = [];
  let at = set.next((reading - DAY_SECONDS) * 1000, untilAt);
  while (at !== null) {
    instants.push(at);
    at = set.next(at, untilAt);
  }
  return instants;
}

/** The first instant at which the local clock shows this reading or a later one. */
export function firstInstantOfReading(zone: Zone, reading: number): number {
  const [at] = instantsOfReading(zone, reading, { gap: 'shift', overlap: 'first' });
  if (at === undefined) throw new RangeError(`no instant for the reading ${reading}`);
  return at;
}

/** Whether this is the first or the second time that the local clock shows this time; null if it shows it only once. */
export function overlapSideAt(zone: Zone, sec: number): 'first' | 'second' | null {
  const { fromSec, toSec, offset, offsetBefore, offsetAfter } = zone.spanAt(sec);
  const reading = sec + offset;
  if (reading >= toSec + offsetAfter) return 'first';
  return reading < fromSec + offsetBefore ? 'second' : null;
}
