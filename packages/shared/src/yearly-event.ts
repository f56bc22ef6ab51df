import { type LeapDayPolicy, localTime, nextOccurrence, type Timing } from '@carillon/recurrence';
import type { ScheduleInput } from './contracts/schedule.js';
import { DAY_MS } from './durations.js';
import type { Target } from './plan.js';

/** The user whom a yearly event is about. */
export interface CelebratedPerson {
  userId: string;
  firstName: string;
  lastName: string;
  timezone: string;
}

/** An event that recurs every year on a date of a person's local calendar, such as a birthday or an anniversary. */
export interface YearlyEvent {
  name: string;
  /** `YYYY-MM-DD`, with the year of the first event. */
  date: string;
  /** `HH:MM` in the person's time zone. */
  localTime: string;
  leapDay: LeapDayPolicy;
  /** Null for the default message. */
  message: string | null;
}

export const BIRTHDAY = 'birthday';
/**
 * The prefix of the ids of yearly events. Carillon generates these ids, and clients can't choose one with this prefix.
 */
export const YEARLY_EVENT_PREFIX = 'evt_';

/** The schedule of a yearly event. */
export function scheduleYearly(
  event: YearlyEvent,
  { person, key, target }: { person: CelebratedPerson; key: string; target: Target | null },
): ScheduleInput {
  const { userId, firstName, lastName, timezone } = person;
  const who = `${firstName} ${lastName}`;
  const [, month, day] = event.date.split('-').map(Number);
  const [hour, minute] = event.localTime.split(':').map(Number);
  return {
    name: `${event.name} of ${who}`.slice(0, 256),
    tags: ['user-event', event.name],
    rule: { cron: `${minute} ${hour} ${day} ${month} *` },
    timezone,
    leapDay: event.leapDay,
    ...(target ? { target } : {}),
    payload: {
      // A placeholder for the id of this year's event. `nameEvent` replaces it on delivery.
      eventId: key,
      type: event.name,
      userId,
      firstName,
      lastName,
      message: event.message ?? `Happy ${event.name}, ${who}!`,
    },
  };
}

/**
 * Fills in the id of this year's event, which is the id of its run. With one id for all years, a receiver that
 * deduplicates would drop the second year.
 */
export function nameEvent(payload: string, { key, runId }: { key: string; runId: string }): string {
  const placeholder = `{"eventId":"${key}"`;
  return payload.startsWith(placeholder)
    ? `{"eventId":"${runId}"${payload.slice(placeholder.length)}`
    : payload;
}

export interface YearlyMove {
  before: Timing;
  after: Timing;
  /** The pending occurrence under the old timing; null if there is none. */
  pendingAt: number | null;
  /** The local year of the latest occurrence that was delivered or is in flight; null if there is none. */
  celebratedYear: number | null;
  nowAt: number;
}

/**
 * The next occurrence of a yearly event after its date or its time zone has changed. The event occurs once in each
 * local year: if it has occurred in one zone, it does not occur again in the same year of another zone. If the event
 * was pending and its time has already passed in the new zone, it occurs at once, because it would be lost otherwise.
 */
export function moveYearly({ before, after, pendingAt, celebratedYear, nowAt }: YearlyMove): number | null {
  const isNew = (at: number) => celebratedYear === null || yearAt(at, after.timezone) > celebratedYear;
  const onlyMoved = JSON.stringify(before.rule) === JSON.stringify(after.rule);
  if (onlyMoved && pendingAt !== null) {
    const sameDayAt = occurrenceIn(yearAt(pendingAt, before.timezone), after);
    if (sameDayAt !== null && sameDayAt <= nowAt && isNew(sameDayAt)) return sameDayAt;
  }
  let at = nextOccurrence(after, nowAt);
  while (at !== null && !isNew(at)) at = nextOccurrence(after, at);
  return at;
}

/** The local year in a time zone. */
export const yearAt = (at: number, timezone: string) => Number(localTime(at, timezone).slice(0, 4));

function occurrenceIn(year: number, timing: Timing): number | null {
  // No time zone differs from UTC by more than a day.
  let at = nextOccurrence(timing, Date.UTC(year, 0, 1) - DAY_MS);
  while (at !== null && yearAt(at, timing.timezone) < year) at = nextOccurrence(timing, at);
  return at !== null && yearAt(at, timing.timezone) === year ? at : null;
}
