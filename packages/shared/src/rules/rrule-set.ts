import { DAY_SECONDS, HOUR_SECONDS, weekdayOf } from './calendar.js';
import { IntervalTimes } from './interval-times.js';
import { DaysAndTimes, type LocalSet, type Times } from './local-set.js';
import { RecurrenceDays } from './rrule-days.js';
import type { RecurrenceParts } from './rrule-parts.js';
import { picksOf, SetPositions } from './set-positions.js';
import { ClockTimes, ListedTimes, secondsOfHour } from './times-of-day.js';
import type { LeapDayPolicy } from './timing.js';
import { wallTimeOf } from './wall-time.js';

export interface RecurrenceReadings {
  readings: LocalSet;
  /** It names no hour, so that a change of clocks has nothing to shift or to drop: see BY_THE_CLOCK. */
  everyHour: boolean;
}

const SIXTY = Array.from({ length: 60 }, (_, value) => value);
const ALL_HOURS = SIXTY.slice(0, 24);
const UNIT_SECONDS: Partial<Record<RecurrenceParts['freq'], number>> = {
  HOURLY: HOUR_SECONDS,
  MINUTELY: 60,
  SECONDLY: 1,
};

/** The readings that the RRULE line names, before DTSTART too: the caller cuts them off as instants. */
export function recurrenceReadings(
  written: RecurrenceParts,
  startReading: number,
  leapDay: LeapDayPolicy,
): RecurrenceReadings {
  const parts = withStart(written, startReading);
  const days = new RecurrenceDays(parts, Math.floor(startReading / DAY_SECONDS), leapDay);
  const unitSeconds = UNIT_SECONDS[parts.freq];
  if (unitSeconds !== undefined) {
    const hours = parts.byHour.length === 0 ? ALL_HOURS : parts.byHour;
    return {
      readings: new DaysAndTimes(days, subDailyTimes(parts, unitSeconds, startReading)),
      everyHour: hours.length === 24 && parts.interval * unitSeconds <= HOUR_SECONDS,
    };
  }
  const everyHour = parts.byHour.length === 24 && parts.bySetPos.length === 0;
  const times = new ClockTimes(parts.byHour, secondsOfHour(parts.byMinute, parts.bySecond));
  if (parts.bySetPos.length === 0) return { readings: new DaysAndTimes(days, times), everyHour };
  if (parts.freq === 'DAILY') {
    const picked = picksOf(parts.bySetPos, times.size).map((index) => times.at(index));
    return { readings: new DaysAndTimes(days, new ListedTimes(picked)), everyHour };
  }
  return { readings: new SetPositions(days, times, parts.bySetPos), everyHour };
}

/** RFC 5545: what the rule leaves open, DTSTART says. */
export function withStart(parts: RecurrenceParts, startReading: number): RecurrenceParts {
  const start = wallTimeOf(startReading);
  const filled = { ...parts };
  const datesOpen =
    parts.byDay.length + parts.byMonthDay.length + parts.byYearDay.length + parts.byWeekNo.length === 0;
  const weekday = { weekday: weekdayOf(Math.floor(startReading / DAY_SECONDS)), n: null };
  if (parts.freq === 'YEARLY' && datesOpen) {
    filled.byMonthDay = [start.day];
    if (parts.byMonth.length === 0) filled.byMonth = [start.month];
  }
  if (parts.freq === 'MONTHLY' && datesOpen) filled.byMonthDay = [start.day];
  if (parts.freq === 'WEEKLY' && datesOpen) filled.byDay = [weekday];
  // A week by its number has seven days; DTSTART's weekday is meant, unless days are named some other way.
  const weeksOnly = parts.byWeekNo.length > 0 && parts.byDay.length === 0;
  if (weeksOnly && parts.byMonthDay.length + parts.byYearDay.length === 0) filled.byDay = [weekday];

  const subDaily = UNIT_SECONDS[parts.freq];
  if (parts.byHour.length === 0 && subDaily === undefined) filled.byHour = [start.hour];
  if (parts.byMinute.length === 0 && (subDaily ?? HOUR_SECONDS) === HOUR_SECONDS)
    filled.byMinute = [start.minute];
  if (parts.bySecond.length === 0 && subDaily !== 1) filled.bySecond = [start.second];
  return filled;
}

function subDailyTimes(parts: RecurrenceParts, unitSeconds: number, startReading: number): Times {
  const hours = parts.byHour.length === 0 ? ALL_HOURS : parts.byHour;
  const { unitsOfHour, all } = unitsAndSeconds(parts, unitSeconds);
  const within =
    parts.bySetPos.length === 0 ? all : picksOf(parts.bySetPos, all.length).map((index) => all[index] ?? 0);
  if (parts.interval > 1) {
    return new IntervalTimes({
      unitSeconds,
      every: parts.interval,
      startReading,
      hours,
      unitsOfHour,
      within,
    });
  }
  return new ClockTimes(
    hours,
    unitsOfHour.flatMap((start) => within.map((second) => start + second)),
  );
}

/**
 * BY parts longer than the unit or as long say which units of the hour count (by the second at which each begins),
 * shorter ones which seconds within each.
 */
function unitsAndSeconds(
  { byMinute, bySecond }: RecurrenceParts,
  unitSeconds: number,
): { unitsOfHour: readonly number[]; all: readonly number[] } {
  const minutes = byMinute.length === 0 ? SIXTY : byMinute;
  const seconds = bySecond.length === 0 ? SIXTY : bySecond;
  if (unitSeconds === HOUR_SECONDS) return { unitsOfHour: [0], all: secondsOfHour(minutes, seconds) };
  if (unitSeconds === 60) return { unitsOfHour: minutes.map((minute) => minute * 60), all: seconds };
  return { unitsOfHour: secondsOfHour(minutes, seconds), all: [0] };
}
