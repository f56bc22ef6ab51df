import { CALENDAR_BEGINS_AT, CALENDAR_ENDS_AT } from './calendar/civil-date.js';
import { CronDays } from './cron/cron-days.js';
import { parseCron } from './cron/cron-pattern.js';
import { OnBusinessDays } from './excluded/business-days.js';
import { ExcludedDays } from './excluded/excluded-days.js';
import { excludedWeekday, parseExclusion, WithoutDays } from './excluded/exclusions.js';
import { MovedInstants } from './excluded/moved-instants.js';
import { type Parsed, UnusableRule } from './parse-result.js';
import { recurrenceSet } from './rrule/recurrence-set.js';
import { parseRecurrenceText } from './rrule/rrule-text.js';
import {
  AmendedInstants,
  BoundedInstants,
  EveryInstants,
  type InstantSet,
  ListedInstants,
} from './sets/instant-set.js';
import { DaysAndTimes } from './sets/local-set.js';
import { ClockTimes, secondsOfHour } from './sets/times-of-day.js';
import { excludedDates, type Timing } from './timing.js';
import { isTimeZone } from './zone/time-zone-name.js';
import { EVERY_HOUR_POLICY, WallClockInstants } from './zone/wall-clock.js';
import { type Zone, zoneNamed } from './zone/zone.js';

export interface CompiledTiming {
  instants: InstantSet;
  /**
   * The instants that the cron pattern or the RRULE line names, before anything is added or left out. Null for a rule
   * that does not use the local clock.
   */
  wallClock: WallClockInstants | null;
  /**
   * The instants of the rule, each instant on an excluded day moved to another day. Business days are chosen later, and
   * settled instants (`settledAts`) are removed later. Null if the policy skips excluded instants, or if the timing has
   * neither excluded days nor business days.
   */
  moved: MovedInstants | null;
}

type CompiledRule = Omit<CompiledTiming, 'moved'>;

/** Builds the set of instants of a timing. Throws UnusableRule if a stored timing can no longer be evaluated. */
export function compileTiming(timing: Timing): CompiledTiming {
  const { startAt, endAt, settledAts } = timing;
  const { instants: named, wallClock } = compileRule(timing);
  const fromAt = startAt ?? CALENDAR_BEGINS_AT;
  const toAt = endAt ?? CALENDAR_ENDS_AT;
  const { instants: free, moved } = withoutExcluded(new BoundedInstants(named, fromAt, toAt), timing);
  // A moved instant must also stay between startAt and endAt.
  const bounded = moved ? new BoundedInstants(free, fromAt, toAt) : free;
  const instants = settledAts.length > 0 ? new AmendedInstants(bounded, [], settledAts) : bounded;
  return { instants, wallClock, moved };
}

/** Applies exclusions, the policy for excluded instants, and the choice of business days. */
function withoutExcluded(
  named: InstantSet,
  timing: Timing,
): { instants: InstantSet; moved: MovedInstants | null } {
  const { onExcluded, businessDays, timezone } = timing;
  const excluded = excludedDates(timing);
  if (excluded.length === 0 && businessDays.length === 0) return { instants: named, moved: null };
  const zone = knownZone(timezone);
  const days = new ExcludedDays(
    excluded.filter((text) => excludedWeekday(text) === null).map((text) => usable(parseExclusion(text))),
    excluded.flatMap((text) => excludedWeekday(text) ?? []),
  );
  const moved = onExcluded === 'skip' ? null : new MovedInstants(named, zone, days, onExcluded);
  const free = moved ?? new WithoutDays(named, zone, days);
  const instants = businessDays.length > 0 ? new OnBusinessDays(free, zone, days, businessDays) : free;
  return { instants, moved };
}

function compileRule(timing: Timing): CompiledRule {
  const { rule, startAt, anchorAt } = timing;
  switch (rule.kind) {
    case 'at':
      return { instants: new ListedInstants([rule.at]), wallClock: null };
    case 'every':
      // The time at which a schedule was created is not an occurrence, but a start time that the caller chose is one.
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
      return recurrenceSet(usable(parseRecurrenceText(rule.rrule)), timing);
  }
}

function compileCron(cron: string, { timezone, leapDay, dst }: Timing): WallClockInstants {
  const pattern = usable(parseCron(cron));
  const times = new ClockTimes(pattern.hours, secondsOfHour(pattern.minutes, pattern.seconds));
  const readings = new DaysAndTimes(new CronDays(pattern, leapDay), times);
  const policy = pattern.hours.length === 24 ? EVERY_HOUR_POLICY : dst;
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
