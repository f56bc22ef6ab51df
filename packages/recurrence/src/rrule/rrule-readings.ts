import { DAY_SECONDS, HOUR_SECONDS, weekdayOf } from '../calendar/civil-date.js';
import { wallTimeOf } from '../calendar/wall-time.js';
import { DaysAndTimes, type LocalSet, type TimeSet } from '../sets/local-set.js';
import { ClockTimes, ListedTimes, secondsOfHour } from '../sets/times-of-day.js';
import type { LeapDayPolicy } from '../timing.js';
import { IntervalTimes } from './interval-times.js';
import { RecurrenceDays } from './rrule-days.js';
import type { RecurrenceParts } from './rrule-parts.js';
import { SetPositions, selectedIndices } from './set-positions.js';

export interface RecurrenceReadings {
  readings: LocalSet;
  /** True if the rule fires in every hour, so that the DST policy does not apply: see EVERY_HOUR_POLICY. */
  isEveryHour: boolean;
}

const SIXTY = Array.from({ length: 60 }, (_, value) => value);
const ALL_HOURS = SIXTY.slice(0, 24);
const UNIT_SECONDS: Partial<Record<RecurrenceParts['freq'], number>> = {
  HOURLY: HOUR_SECONDS,
  MINUTELY: 60,
  SECONDLY: 1,
};

/** All readings (local times) that the RRULE line names, including those before DTSTART, which the caller removes. */
export function recurrenceReadings(
  written: RecurrenceParts,
  startReading: number,
  leapDay: LeapDayPolicy,
): RecurrenceReadings {
  const parts = completedByStart(written, startReading);
  const days = new RecurrenceDays(parts, Math.floor(startReading / DAY_SECONDS), leapDay);
  const unitSeconds = UNIT_SECONDS[parts.freq];
  if (unitSeconds !== undefined) {
    const hours = parts.byHour.length === 0 ? ALL_HOURS : parts.byHour;
    return {
      readings: new DaysAndTimes(days, subDailyTimes(parts, unitSeconds, startReading)),
      isEveryHour: hours.length === 24 && parts.interval * unitSeconds <= HOUR_SECONDS,
    };
  }
  const isEveryHour = parts.byHour.length === 24 && parts.bySetPos.length === 0;
  const times = new ClockTimes(parts.byHour, secondsOfHour(parts.byMinute, parts.bySecond));
  if (parts.bySetPos.length === 0) return { readings: new DaysAndTimes(days, times), isEveryHour };
  if (parts.freq === 'DAILY') {
    const selected = selectedIndices(parts.bySetPos, times.size).map((index) => times.at(index));
    return { readings: new DaysAndTimes(days, new ListedTimes(selected)), isEveryHour };
  }
  return { readings: new SetPositions(days, times, parts.bySetPos), isEveryHour };
}

/** RFC 5545: DTSTART supplies each part that the rule leaves open. */
export function completedByStart(parts: RecurrenceParts, startReading: number): RecurrenceParts {
  const start = wallTimeOf(startReading);
  const completed = { ...parts };
  const hasNoDates =
    parts.byDay.length + parts.byMonthDay.length + parts.byYearDay.length + parts.byWeekNo.length === 0;
  const weekday = { weekday: weekdayOf(Math.floor(startReading / DAY_SECONDS)), n: null };
  if (parts.freq === 'YEARLY' && hasNoDates) {
    completed.byMonthDay = [start.day];
    if (parts.byMonth.length === 0) completed.byMonth = [start.month];
  }
  if (parts.freq === 'MONTHLY' && hasNoDates) completed.byMonthDay = [start.day];
  if (parts.freq === 'WEEKLY' && hasNoDates) completed.byDay = [weekday];
  // A week number alone means the weekday of DTSTART in that week.
  const hasOnlyWeeks = parts.byWeekNo.length > 0 && parts.byDay.length === 0;
  if (hasOnlyWeeks && parts.byMonthDay.length + parts.byYearDay.length === 0) completed.byDay = [weekday];

  const unitSeconds = UNIT_SECONDS[parts.freq];
  if (parts.byHour.length === 0 && unitSeconds === undefined) completed.byHour = [start.hour];
  if (parts.byMinute.length === 0 && (unitSeconds ?? HOUR_SECONDS) === HOUR_SECONDS)
    completed.byMinute = [start.minute];
  if (parts.bySecond.length === 0 && unitSeconds !== 1) completed.bySecond = [start.second];
  return completed;
}

function subDailyTimes(parts: RecurrenceParts, unitSeconds: number, startReading: number): TimeSet {
  const hours = parts.byHour.length === 0 ? ALL_HOURS : parts.byHour;
  const { unitsOfHour, secondsOfUnit } = unitsAndSeconds(parts, unitSeconds);
  const within =
    parts.bySetPos.length === 0
      ? secondsOfUnit
      : selectedIndices(parts.bySetPos, secondsOfUnit.length).map((index) => secondsOfUnit[index] ?? 0);
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
 * Splits BYMINUTE and BYSECOND for a sub-daily frequency, whose unit is an hour, a minute or a second. A BY part of a
 * shorter unit expands each unit into seconds. Any other BY part limits the units of the hour. With FREQ=MINUTELY, for
 * example, BYMINUTE limits the minutes, and BYSECOND expands each minute.
 */
function unitsAndSeconds(
  { byMinute, bySecond }: RecurrenceParts,
  unitSeconds: number,
): { unitsOfHour: readonly number[]; secondsOfUnit: readonly number[] } {
  const minutes = byMinute.length === 0 ? SIXTY : byMinute;
  const seconds = bySecond.length === 0 ? SIXTY : bySecond;
  if (unitSeconds === HOUR_SECONDS)
    return { unitsOfHour: [0], secondsOfUnit: secondsOfHour(minutes, seconds) };
  if (unitSeconds === 60)
    return { unitsOfHour: minutes.map((minute) => minute * 60), secondsOfUnit: seconds };
  return { unitsOfHour: secondsOfHour(minutes, seconds), secondsOfUnit: [0] };
}
