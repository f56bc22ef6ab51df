import { CALENDAR_ENDS_AT, DAY_SECONDS } from '../calendar/civil-date.js';
import { type DayRange, ExcludedDays } from '../excluded/excluded-days.js';
import { WithoutDays } from '../excluded/exclusions.js';
import {
  AmendedInstants,
  BoundedInstants,
  type InstantSet,
  ListedInstants,
  nthInstant,
} from '../sets/instant-set.js';
import { BoundedReadings } from '../sets/local-set.js';
import type { DstPolicy, Timing } from '../timing.js';
import {
  EVERY_HOUR_POLICY,
  firstInstantOfReading,
  instantsOfReading,
  WallClockInstants,
} from '../zone/wall-clock.js';
import { type Zone, zoneNamed } from '../zone/zone.js';
import { recurrenceReadings } from './rrule-readings.js';
import type { RecurrenceDate, RecurrenceText } from './rrule-text.js';

export interface RecurrenceStart {
  zone: Zone;
  reading: number;
  /** The first instant that may be an instance. */
  fromAt: number;
}

export interface Recurrence {
  instants: InstantSet;
  /** The instants of the RRULE line alone; null if there is none. */
  wallClock: WallClockInstants | null;
}

/** The recurrence set of RFC 5545: RRULE and RDATE together, without EXDATE. */
export function recurrenceSet(text: RecurrenceText, timing: Timing): Recurrence {
  const start = recurrenceStart(text, timing);
  const zoneOf = (date: RecurrenceDate) => (date.zone === null ? start.zone : zoneNamed(date.zone));
  const instantsOf = (dates: RecurrenceDate[], policy: DstPolicy) =>
    dates.flatMap((date) => instantsOfReading(zoneOf(date), date.reading, policy));

  const rule = ruleInstants(text, timing, start);
  const removedTimes = text.removed.filter((date) => !date.dateOnly);
  const removedDays = text.removed.filter((date) => date.dateOnly).map(wholeDay);
  const added = instantsOf(text.added, timing.dst);
  const removed = instantsOf(removedTimes, rule.wallClock?.policy ?? timing.dst);
  const amended =
    added.length + removed.length > 0 ? new AmendedInstants(rule.instants, added, removed) : rule.instants;
  const instants =
    removedDays.length > 0 ? new WithoutDays(amended, start.zone, new ExcludedDays(removedDays)) : amended;
  return { instants, wallClock: rule.wallClock };
}

function ruleInstants(text: RecurrenceText, timing: Timing, start: RecurrenceStart): Recurrence {
  if (!text.parts) {
    const only = text.start ? instantsOfReading(start.zone, start.reading, timing.dst) : [];
    return { instants: new ListedInstants(only), wallClock: null };
  }
  const { readings, isEveryHour } = recurrenceReadings(text.parts, start.reading, timing.leapDay);
  const policy = isEveryHour ? EVERY_HOUR_POLICY : timing.dst;
  // DTSTART and a local UNTIL are wall times, so the rule is bounded by wall times and not by instants. Around a DST
  // change, the order of wall times differs from the order of instants: a wall time before DTSTART can be shifted, or
  // repeated, to an instant after it. Only a rule that fires in every hour is bounded by instants, because it fires in
  // both passes of a repeated hour.
  const isLocalUntil = text.until !== null && text.until.zone === (text.start?.zone ?? null);
  const firstReading = text.start && !isEveryHour ? start.reading : Number.NEGATIVE_INFINITY;
  const beyondReading =
    text.until && isLocalUntil && !isEveryHour ? text.until.reading + 1 : Number.POSITIVE_INFINITY;
  const wallClock = new WallClockInstants(
    start.zone,
    new BoundedReadings(readings, firstReading, beyondReading),
    policy,
  );
  const untilAt = text.until ? lastInstantOf(text.until, start.zone) : CALENDAR_ENDS_AT;
  const instants = new BoundedInstants(wallClock, start.fromAt, untilAt);
  if (text.parts.count === null) return { instants, wallClock };
  // COUNT is converted into an end instant once, so that later evaluations need not count from DTSTART again.
  const lastAt =
    nthInstant(instants, text.parts.count, start.fromAt - 1, CALENDAR_ENDS_AT) ?? CALENDAR_ENDS_AT;
  return { instants: new BoundedInstants(wallClock, start.fromAt, lastAt), wallClock };
}

/**
 * A rule without DTSTART counts from startAt or, if there is none, from the creation of the schedule. As with `every`,
 * the time of creation is not an occurrence: COUNT=3 fires three times after it.
 */
export function recurrenceStart(
  text: RecurrenceText,
  { timezone, startAt, anchorAt }: Timing,
): RecurrenceStart {
  if (text.start) {
    const zone = zoneNamed(text.start.zone ?? timezone);
    return { zone, reading: text.start.reading, fromAt: firstInstantOfReading(zone, text.start.reading) };
  }
  const zone = zoneNamed(timezone);
  return {
    zone,
    reading: zone.readingAt(Math.floor((startAt ?? anchorAt) / 1000)),
    fromAt: startAt ?? anchorAt + 1,
  };
}

function lastInstantOf(date: RecurrenceDate, floatingZone: Zone): number {
  const zone = date.zone === null ? floatingZone : zoneNamed(date.zone);
  return Math.max(...instantsOfReading(zone, date.reading, { gap: 'shift', overlap: 'both' }));
}

function wholeDay({ reading }: RecurrenceDate): DayRange {
  const from = Math.floor(reading / DAY_SECONDS);
  return { from, before: from + 1 };
}
