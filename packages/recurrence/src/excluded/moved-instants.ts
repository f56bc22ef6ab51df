import { DAY_SECONDS } from '../calendar/civil-date.js';
import type { InstantSet } from '../sets/instant-set.js';
import { firstInstantOfReading } from '../zone/wall-clock.js';
import type { Zone } from '../zone/zone.js';
import { type ExcludedDays, localDay, startOfDay } from './excluded-days.js';

/**
 * An occurrence on an excluded day is moved by at most this many days. If no free day lies within this distance, the
 * occurrence does not fire. Without this limit, all occurrences of a closure of several months would be moved to the
 * first day after it (or to the last day before it).
 */
export const MAX_MOVED_DAYS = 31;

const DAY_MS = DAY_SECONDS * 1000;

/**
 * A set of instants in which each instant on an excluded day is moved to the next or the previous free day, at the same
 * local time. If the set already has an instant at the new time, the two become one.
 */
export class MovedInstants implements InstantSet {
  constructor(
    private readonly set: InstantSet,
    private readonly zone: Zone,
    private readonly days: ExcludedDays,
    private readonly direction: 'next' | 'previous',
  ) {}

  next(afterAt: number, untilAt: number): number | null {
    let day = this.days.nextFree(localDay(this.zone, afterAt));
    for (;;) {
      if (startOfDay(this.zone, day) > untilAt) return null;
      const at = this.nextOn(day, afterAt);
      if (at !== null) return at <= untilAt ? at : null;
      const target = this.nextTarget(day, untilAt);
      if (target === null) return null;
      day = target;
    }
  }

  count(afterAt: number, untilAt: number): number {
    let total = 0;
    let day = this.days.nextFree(localDay(this.zone, afterAt + 1));
    while (startOfDay(this.zone, day) <= untilAt) {
      if (this.receives(day)) {
        total += this.countOn(day, afterAt, untilAt);
        day = this.days.nextFree(day + 1);
        continue;
      }
      const excluded = this.days.nextExcluded(day);
      // With `previous`, the last free day before an excluded stretch also receives the occurrences of that stretch, so
      // this day is counted separately.
      const before = this.direction === 'next' ? excluded : excluded - 1;
      const fromAt = Math.max(afterAt, startOfDay(this.zone, day) - 1);
      const toAt = Math.min(untilAt, startOfDay(this.zone, before) - 1);
      if (fromAt < toAt) total += this.set.count(fromAt, toAt);
      day = this.days.nextFree(before);
    }
    return total;
  }

  /** The local day from which an instant was moved here; null if the rule itself names the instant. */
  movedFrom(at: number): number | null {
    if (this.set.next(at - 1, at) === at) return null;
    const day = localDay(this.zone, at);
    const fromTime = this.lowestTimeAfter(at - 1, day);
    for (const source of this.sourcesOf(day)) {
      const time = this.nextTimeOn(source, fromTime);
      if (time !== null && this.instantOf(day, time) === at) return source;
    }
    return null;
  }

  /**
   * The next free day after `day` that may have an occurrence, its own or a moved one. The caller searches this day.
   */
  private nextTarget(day: number, untilAt: number): number | null {
    // With `previous`, the occurrences of the excluded days right after `day` are moved back to `day`. So the search
    // begins at the first free day after them.
    const fromDay = this.direction === 'next' ? day + 1 : this.days.nextFree(day + 1);
    const reachMs = this.direction === 'next' ? 0 : (MAX_MOVED_DAYS + 1) * DAY_MS;
    const at = this.set.next(startOfDay(this.zone, fromDay) - 1, untilAt + reachMs);
    if (at === null) return null;
    const named = localDay(this.zone, at);
    if (!this.days.has(named) || this.direction === 'next') return this.days.nextFree(named);
    // The occurrence is too far from a free day to be moved, so the search goes on after the excluded stretch.
    return this.days.previousFree(named, MAX_MOVED_DAYS) ?? this.days.nextFree(named);
  }

  private receives(day: number): boolean {
    return this.days.has(this.direction === 'next' ? day - 1 : day + 1);
  }

  /** The excluded days whose occurrences are moved to this free day. */
  private *sourcesOf(day: number): Generator<number> {
    const step = this.direction === 'next' ? -1 : 1;
    for (let moved = 1; moved <= MAX_MOVED_DAYS; moved++) {
      const source = day + step * moved;
      if (!this.days.has(source)) return;
      yield source;
    }
  }

  /**
   * The first instant after `afterAt` on this free day: an instant of the rule itself, or one that is moved to this
   * day.
   */
  private nextOn(day: number, afterAt: number): number | null {
    const startAt = startOfDay(this.zone, day);
    const endAt = startOfDay(this.zone, day + 1);
    if (afterAt >= endAt - 1) return null;
    const ownAt = this.set.next(Math.max(afterAt, startAt - 1), endAt - 1);
    const fromTime = afterAt < startAt ? 0 : this.lowestTimeAfter(afterAt, day);
    let first: number | null = null;
    for (const source of this.sourcesOf(day)) {
      const time = this.nextTimeOn(source, fromTime);
      if (time !== null && (first === null || time < first)) first = time;
    }
    const movedAt = first === null ? null : this.instantOf(day, first);
    const isOnDay = movedAt !== null && movedAt > afterAt && movedAt < endAt;
    return isOnDay && (ownAt === null || movedAt < ownAt) ? movedAt : ownAt;
  }

  private countOn(day: number, afterAt: number, untilAt: number): number {
    let total = 0;
    let at = this.nextOn(day, Math.max(afterAt, startOfDay(this.zone, day) - 1));
    while (at !== null && at <= untilAt) {
      total++;
      at = this.nextOn(day, at);
    }
    return total;
  }

  /** The lowest time of day (in milliseconds) whose instant on this day can be after `at`. */
  private lowestTimeAfter(at: number, day: number): number {
    const { fromSec, offset, offsetBefore } = this.zone.spanAt(Math.floor(at / 1000));
    const reading = at + offset * 1000 + 1;
    // An occurrence that is moved into a DST overlap fires in the first pass only. So if `at` is in the second pass,
    // only times after the overlap are left.
    const overlapEnd = (fromSec + offsetBefore) * 1000;
    return (offsetBefore > offset ? Math.max(reading, overlapEnd) : reading) - day * DAY_MS;
  }

  /** The earliest time of day, from `fromTime` on, at which the rule names an instant on this day. */
  private nextTimeOn(day: number, fromTime: number): number | null {
    const dayEndAt = startOfDay(this.zone, day + 1);
    let earliest: number | null = null;
    let fromAt = startOfDay(this.zone, day);
    // Within one span the UTC offset is constant, so the local clock only goes forward.
    while (fromAt < dayEndAt) {
      const { toSec, offset } = this.zone.spanAt(Math.floor(fromAt / 1000));
      const beforeAt = Math.min(toSec * 1000, dayEndAt);
      const firstAt = Math.max(fromAt, day * DAY_MS + fromTime - offset * 1000);
      const at = firstAt < beforeAt ? this.set.next(firstAt - 1, beforeAt - 1) : null;
      const time = at === null ? null : at + offset * 1000 - day * DAY_MS;
      if (time !== null && (earliest === null || time < earliest)) earliest = time;
      fromAt = beforeAt;
    }
    return earliest;
  }

  /** The instant of a time of day on a day. A time inside a DST gap moves to the end of the gap. */
  private instantOf(day: number, time: number): number {
    const reading = day * DAY_SECONDS + Math.floor(time / 1000);
    const at = firstInstantOfReading(this.zone, reading);
    const isShifted = this.zone.readingAt(Math.floor(at / 1000)) !== reading;
    return isShifted ? at : at + (time % 1000);
  }
}
