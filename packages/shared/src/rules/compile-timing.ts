import { CALENDAR_BEGINS_AT, CALENDAR_ENDS_AT } from './calendar.js';
import { parseCron } from './cron.js';
import { CronDays } from './cron-days.js';
import { parseExclusion, WithoutDays } from './exclusions.js';
import { BoundedInstants, EveryInstants, type InstantSet, ListedInstants } from './instant-set.js';
import { DaysAndTimes } from './local-set.js';
import { type Parsed, UnusableRule } from './parsed.js';
import { recurrenceOf } from './recurrence.js';
import { parseRecurrenceText } from './rrule.js';
import { ClockTimes, secondsOfHour } from './times-of-day.js';
import { excludedDates, type Timing } from './timing.js';
import { BY_THE_CLOCK, WallClockInstants } from './wall-clock.js';
import { isTimeZone, type Zone, zoneNamed } from './zone.js';

export interface Compiled {
  instants: InstantSet;
  wallClock: WallClockInstants | null;
}

/** Throws UnusableRule where a stored timing can no longer be followed. */
export function compileTiming(timing: Timing): Compiled {
  const { startAt, endAt, timezone } = timing;
  const { instants, wallClock } = compileRule(timing);
  const bounded = new BoundedInstants(instants, startAt ?? CALENDAR_BEGINS_AT, endAt ?? CALENDAR_ENDS_AT);
  const excluded = excludedDates(timing);
  if (excluded.length === 0) return { instants: bounded, wallClock };
  const ranges = excluded.map((text) => usable(parseExclusion(text)));
  return { instants: new WithoutDays(bounded, knownZone(timezone), ranges), wallClock };
}

function compileRule(timing: Timing): Compiled {
  const { rule, startAt, anchorAt } = timing;
  switch (rule.kind) {
    case 'at':
      return { instants: new ListedInstants([rule.at]), wallClock: null };
    case 'every':
      // The moment of making is no occurrence; a start that somebody chose is.
      return {
        instants: new EveryInstants(startAt ?? anchorAt, rule.everyMs, startAt === null ? 1 : 0),
        wallClock: null,
      };
    case 'cron': {
      const wallClock = compileCron(rule.cron, timing);
      return { instants: wallClock, wallClock };
    }
    case 'rrule':
      knownZone(timing.timezone);
      return recurrenceOf(usable(parseRecurrenceText(rule.rrule)), timing);
  }
}

function compileCron(cron: string, { timezone, leapDay, dst }: Timing): WallClockInstants {
  const pattern = usable(parseCron(cron));
  const times = new ClockTimes(pattern.hours, secondsOfHour(pattern.minutes, pattern.seconds));
  const readings = new DaysAndTimes(new CronDays(pattern, leapDay), times);
  const policy = pattern.hours.length === 24 ? BY_THE_CLOCK : dst;
  return new WallClockInstants(knownZone(timezone), readings, policy);
}

function knownZone(name: string): Zone {
  if (!isTimeZone(name)) throw new UnusableRule(`"${name}" is not a known time zone`);
  return zoneNamed(name);
}

function usable<T>(result: Parsed<T>): T {
  if (result.ok) return result.value;
  throw new UnusableRule(result.messages.join('; '));
}
