import { CALENDAR_ENDS_AT, DAY_SECONDS } from './calendar.js';
import { type DayRange, WithoutDays } from './exclusions.js';
import {
  AmendedInstants,
  BoundedInstants,
  type InstantSet,
  ListedInstants,
  nthInstant,
} from './instant-set.js';
import type { RecurrenceDate, RecurrenceText } from './rrule.js';
import { recurrenceReadings } from './rrule-set.js';
import type { DstPolicy, Timing } from './timing.js';
import { BY_THE_CLOCK, firstInstantOfReading, instantsOfReading, WallClockInstants } from './wall-clock.js';
import { type Zone, zoneNamed } from './zone.js';

export interface RecurrenceStart {
  zone: Zone;
  reading: number;
  /** The first instant that may be an instance. */
  fromAt: number;
}

export interface Recurrence {
  instants: InstantSet;
  /** How the RRULE line alone meets the clock; null where there is none. */
  wallClock: WallClockInstants | null;
}

/** RRULE, RDATE and EXDATE together: the recurrence set of RFC 5545. */
export function recurrenceOf(text: RecurrenceText, timing: Timing): Recurrence {
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
  const instants = removedDays.length > 0 ? new WithoutDays(amended, start.zone, removedDays) : amended;
  return { instants, wallClock: rule.wallClock };
}

function ruleInstants(text: RecurrenceText, timing: Timing, start: RecurrenceStart): Recurrence {
  if (!text.parts) {
    const only = text.start ? instantsOfReading(start.zone, start.reading, timing.dst) : [];
    return { instants: new ListedInstants(only), wallClock: null };
  }
  const { readings, everyHour } = recurrenceReadings(text.parts, start.reading, timing.leapDay);
  const policy = everyHour ? BY_THE_CLOCK : timing.dst;
  const untilAt = text.until ? lastInstantOf(text.until, start.zone) : CALENDAR_ENDS_AT;
  const wallClock = new WallClockInstants(start.zone, readings, policy);
  const instants = new BoundedInstants(wallClock, start.fromAt, untilAt);
  if (text.parts.count === null) return { instants, wallClock };
  // COUNT becomes an end once and for all, so that no later question has to count from DTSTART again.
  const lastAt =
    nthInstant(instants, text.parts.count, start.fromAt - 1, CALENDAR_ENDS_AT) ?? CALENDAR_ENDS_AT;
  return { instants: new BoundedInstants(wallClock, start.fromAt, lastAt), wallClock };
}

/**
 * Without DTSTART a rule counts from startAt, and from the schedule's making where there is none. The moment of making
 * is no occurrence itself, as with `every`: COUNT=3 fires three times after it.
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
